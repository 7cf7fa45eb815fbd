"""How near each quality tier comes to the official integration, ``fine``."""

import numpy as np

from cosyedge.engine.cosyvoice.flow import Floats
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.quality import TIERS
from cosyedge.engine.cosyvoice.watch import unwatched
from cosyedge.export.comparison import snr_db

# Two, three and five and a half seconds: each figure is that of the worst.
LENGTHS_TOKENS = (100, 150, 277)


def measure_tiers(model: Model, embedding: Floats) -> dict[str, float]:
    """Return each tier's mel signal-to-noise against ``fine``, in dB."""
    watch = unwatched()
    random = np.random.default_rng(1)
    others = [name for name in TIERS if name != "fine"]
    found: dict[str, list[float]] = {name: [] for name in others}
    for length in LENGTHS_TOKENS:
        tokens = random.integers(0, model.plan.language.speech_tokens, length).tolist()
        condition = model.condition(tokens, embedding, watch)
        noise = random.standard_normal(condition.mu.shape, dtype=np.float32)
        wanted = model.mel(condition, noise, TIERS["fine"], watch)
        for name in others:
            made = model.mel(condition, noise, TIERS[name], watch)
            found[name].append(snr_db(made, wanted))
    return {f"snr_{name}_db": min(values) for name, values in found.items()}
