"""The language model's step beside a bare loop of the same graph, and in a batch."""

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from cosyedge.engine.cosyvoice.language_model import Cache, Row
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.sampling import Sampling
from cosyedge.engine.cosyvoice.watch import Watch, unwatched

POSITION = 200
PREFIX = 39
STEPS = 24
ROUNDS = 5


def measure_steps(model: Model) -> dict[str, float]:
    """Time steps about position 200: as the engine decodes, bare, and four rows at once.

    The three take turns, so that a busy neighbour slows all of them.
    """
    engine: list[float] = []
    bare: list[float] = []
    batch: list[float] = []
    bare_loop, batch_loop = _bare(model, 1), _bare(model, 4)
    for round_number in range(ROUNDS):
        engine += _decoded(model, round_number)
        bare += bare_loop()
        batch += batch_loop()
    step_s = median(engine)
    return {
        "step_ms_200": step_s * 1000,
        "step_over_loop": step_s / median(bare),
        "batch4_over_step": median(batch) / 4 / median(bare),
    }


def _decoded(model: Model, seed: int) -> list[float]:
    """Return the seconds of each token about position 200 in the engine's own loop."""
    random = np.random.default_rng(seed)
    size = model.plan.language.size
    tokens = POSITION - PREFIX + STEPS // 2
    row = Row(
        prefix=random.standard_normal((PREFIX, size), dtype=np.float32),
        fewest=tokens,
        most=tokens,
        sampling=Sampling.of(model.plan.language),
        random=random,
    )
    moments: list[float] = []
    watch = Watch(unwatched().cancel, lambda: moments.append(time.perf_counter()))
    model.speech_tokens([row], watch)
    return np.diff(moments[-STEPS:]).tolist()


def _bare(model: Model, rows: int) -> Callable[[], list[float]]:
    """Return a loop of nothing but runs of the graph at position 200."""
    plan = model.plan.language
    session = model.stages.session("language_model")
    cache = Cache(session, plan, rows, POSITION + STEPS)
    made = np.random.default_rng(1).standard_normal((rows, 1, plan.size), dtype=np.float32)
    cache.length = POSITION - 1
    cache.advance(made)

    def loop() -> list[float]:
        taken = []
        for _ in range(STEPS):
            began = time.perf_counter()
            cache.run()
            taken.append(time.perf_counter() - began)
        return taken

    return loop
