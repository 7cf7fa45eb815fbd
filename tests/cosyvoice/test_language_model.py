"""Rows decoded together are the rows decoded alone."""

from pathlib import Path

import numpy as np
import pytest

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.engine.contract import Cancellation
from cosyedge.engine.cosyvoice.language_model import Cache, Row
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.sampling import Sampling
from cosyedge.engine.cosyvoice.watch import Watch, unwatched
from tests.cosyvoice.bundles import export_random, opened


@pytest.fixture(scope="module", params=["fp32", "int8"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return opened(export_random(tmp_path_factory.mktemp("bundle"), request.param))


def row(model: Model, seed: int, length: int, most: int) -> Row:
    random = np.random.default_rng(seed)
    prefix = random.standard_normal((length, model.plan.language.size)).astype(np.float32)
    sampling = Sampling.of(model.plan.language)
    return Row(prefix, 2, most, sampling, np.random.default_rng(seed + 100))


SHAPES = ((1, 9, 30), (2, 4, 12), (3, 17, 45), (4, 9, 1))


def test_rows_of_different_length_are_exact_in_a_batch(model: Model) -> None:
    together = [row(model, *shape) for shape in SHAPES]
    model.speech_tokens(together, unwatched())
    for shape, batched in zip(SHAPES, together, strict=True):
        alone = row(model, *shape)
        model.speech_tokens([alone], unwatched())
        assert batched.tokens == alone.tokens
        assert batched.stopped == alone.stopped


def test_logits_of_a_padded_row_are_those_without_padding(model: Model) -> None:
    random = np.random.default_rng(1)
    size = model.plan.language.size
    rows = random.standard_normal((1, 6, size)).astype(np.float32)
    session = model.stages.session("language_model")
    alone = Cache(session, model.plan.language, 1, 64)
    padded = Cache(session, model.plan.language, 1, 64)
    padded.begin([5])
    filler = np.full((1, 5, size), 3.0, np.float32)
    wanted = alone.advance(rows).copy()
    made = padded.advance(np.concatenate([filler, rows], axis=1)).copy()
    np.testing.assert_allclose(made, wanted, atol=2e-5)


def test_the_bounds_on_the_tokens_hold(model: Model) -> None:
    rows = [row(model, 5, 4, 7), row(model, 6, 4, 7)]
    rows[1].fewest = 7
    model.speech_tokens(rows, unwatched())
    assert all(len(each.tokens) <= 7 for each in rows)
    assert len(rows[1].tokens) == 7


def test_a_cancel_is_seen_at_the_next_token(model: Model) -> None:
    cancel = Cancellation()
    seen = 0

    def check() -> None:
        nonlocal seen
        seen += 1
        if seen == 3:
            cancel.request()
        cancel.check()

    running = row(model, 7, 4, 500)
    with pytest.raises(Cancelled):
        model.speech_tokens([running], Watch(cancel, check))
    assert len(running.tokens) == 2


def test_more_rows_than_the_tables_reach_are_refused(model: Model) -> None:
    with pytest.raises(EngineFailure, match="positions"):
        model.speech_tokens([row(model, 8, 40, model.plan.language.positions)], unwatched())


def test_a_bundle_says_how_far_it_reaches(tmp_path: Path) -> None:
    plan = opened(export_random(tmp_path, "fp32")).plan.language
    assert plan.positions >= plan.text_positions
