"""The next token: nucleus, repetition, and a stop that cannot come too early."""

from collections import Counter

import numpy as np
import pytest

from cosyedge.engine.cosyvoice.sampling import Sampling, draw

OFFICIAL = Sampling(top_p=0.8, top_k=25, window=10, repeats=1.0)


def logits_of(chances: list[float]) -> np.ndarray:
    return np.log(np.array(chances, np.float32))


def draws(
    chances: list[float], count: int = 2000, history: tuple[int, ...] = (), may_stop: bool = True
) -> Counter[int]:
    random = np.random.default_rng(1)
    logits = logits_of(chances)
    return Counter(draw(logits, history, OFFICIAL, random, may_stop=may_stop) for _ in range(count))


def test_the_nucleus_holds_what_begins_below_top_p() -> None:
    drawn = draws([0.5, 0.29, 0.15, 0.06, 1e-9])
    assert set(drawn) == {0, 1, 2}
    assert drawn[0] / 2000 == pytest.approx(0.5 / 0.94, abs=0.05)


def test_one_token_that_fills_the_nucleus_is_always_drawn() -> None:
    assert set(draws([0.9, 0.05, 0.05, 1e-9])) == {0}


def test_no_more_than_top_k_are_drawn() -> None:
    assert len(draws([0.01] * 100)) == 25


def test_equal_chances_go_to_the_lower_ids() -> None:
    assert set(draws([0.01] * 100)) == set(range(25))


def test_a_repeated_token_is_drawn_again_from_all_the_others() -> None:
    drawn = draws([0.9, 0.05, 0.04, 0.01], history=(5, 0, 7))
    assert set(drawn) == {1, 2, 3}


def test_a_token_before_the_window_is_no_repetition() -> None:
    assert set(draws([0.97, 0.01, 0.01, 0.01], history=(0, *range(10, 20)))) == {0}


def test_the_stop_cannot_be_drawn_too_early_even_when_it_is_nearly_certain() -> None:
    almost = [1e-6, 1e-6, 1e-6, 1.0 - 3e-6]
    assert set(draws(almost, may_stop=False)) <= {0, 1, 2}
    assert set(draws(almost, may_stop=False, history=(0, 1))) <= {0, 1, 2}
    assert set(draws(almost)) == {3}


def test_a_low_temperature_draws_the_likeliest() -> None:
    cold = Sampling(0.8, 25, 10, 1.0, temperature=0.05)
    random = np.random.default_rng(1)
    logits = logits_of([0.3, 0.4, 0.3])
    assert {draw(logits, [], cold, random, may_stop=True) for _ in range(200)} == {1}


def test_the_logits_are_left_as_they_were() -> None:
    logits = logits_of([0.5, 0.3, 0.2])
    before = logits.copy()
    draw(logits, [0, 0], OFFICIAL, np.random.default_rng(1), may_stop=False)
    np.testing.assert_array_equal(logits, before)
