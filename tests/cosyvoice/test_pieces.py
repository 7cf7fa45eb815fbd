"""Sentences are cut so that the model speaks them well, and its output is judged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.engine.cosyvoice.gate import fault_of_samples, fault_of_tokens
from cosyedge.engine.cosyvoice.pieces import cut, token_bounds

BOUNDS = {"zh": 25, "en": 80}
RATE_HZ = 22050


def test_a_long_sentence_is_cut_at_commas() -> None:
    text = "今天下雨，请带伞，路上小心，注意安全，谢谢大家的配合，我们明天再见。"
    pieces = cut(text, "zh", BOUNDS)
    assert pieces == ["今天下雨，请带伞，路上小心，注意安全。", "谢谢大家的配合，我们明天再见。"]


@pytest.mark.parametrize(
    ("text", "lang", "wanted"),
    [
        ("前门已打开", "zh", ["前门已打开。"]),
        ("前门已打开，", "zh", ["前门已打开。"]),
        ("The door is open", "en", ["The door is open."]),
        ("Door open!", "en", ["Door open!"]),
        ("，。！", "zh", []),
        ("  ", "zh", []),
    ],
)
def test_every_piece_ends_with_a_mark(text: str, lang: str, wanted: list[str]) -> None:
    assert cut(text, lang, BOUNDS) == wanted


@given(text=st.text(max_size=200))
def test_no_letter_is_lost_and_no_piece_is_too_long(text: str) -> None:
    pieces = cut(text, "zh", BOUNDS)
    assert all(len(piece) <= 26 for piece in pieces)
    letters = [char for char in text if char.isalnum()]
    assert [char for piece in pieces for char in piece if char.isalnum()] == letters


def test_tokens_are_bounded_by_the_text() -> None:
    assert token_bounds("x" * 10 + ".", 36) == (72, 277)
    fewest, most = token_bounds("前门已打开。", 6)
    assert (fewest, most) == (12, 25 + 6 * 13)


def test_plausible_tokens_pass() -> None:
    random = np.random.default_rng(1)
    assert fault_of_tokens(random.integers(0, 4096, 200).tolist(), stopped=True) is None


@pytest.mark.parametrize("period", [1, 2, 7, 39])
def test_a_loop_is_found_wherever_it_stands(period: int) -> None:
    random = np.random.default_rng(period)
    stretch = random.integers(0, 4096, period).tolist() * (200 // period)
    tokens = random.integers(0, 4096, 50).tolist() + stretch
    assert fault_of_tokens(tokens, stopped=True) == "the model repeats itself"


def test_a_held_sound_is_no_loop() -> None:
    tokens = [*range(40), *[7] * 30, *range(40, 80)]
    assert fault_of_tokens(tokens, stopped=True) is None


def test_a_generation_that_ran_into_its_bound_or_said_nothing_is_a_fault() -> None:
    assert fault_of_tokens([1, 2, 3], stopped=False)
    assert fault_of_tokens([], stopped=True)


def tone(seconds: float) -> np.ndarray:
    return np.sin(np.arange(int(seconds * RATE_HZ)) * 0.05).astype(np.float32) * 0.3


TEXT = "前门已经打开。"


def test_plausible_speech_passes() -> None:
    assert fault_of_samples(tone(1.6), RATE_HZ, 0.99, TEXT) is None


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        (tone(0.1), "0.1 s for 7 characters"),
        (tone(9), "9.0 s for 7 characters"),
        (np.concatenate([tone(0.3), np.zeros(RATE_HZ, np.float32)]), "silent"),
        (np.sign(tone(1.6)), "clipped"),
        (np.full(RATE_HZ, np.nan, np.float32), "not numbers"),
        (np.zeros(0, np.float32), "not numbers"),
    ],
)
def test_unusable_speech_is_named(samples: np.ndarray, words: str) -> None:
    fault = fault_of_samples(samples, RATE_HZ, 0.99, TEXT)
    assert fault is not None
    assert words in fault


def test_random_weights_are_judged_only_by_their_numbers() -> None:
    assert fault_of_samples(tone(100), RATE_HZ, 0.99) is None
    assert fault_of_samples(np.full(9, np.inf, np.float32), RATE_HZ, 0.99)


def test_speed_moves_the_plausible_durations() -> None:
    assert fault_of_samples(tone(0.4), RATE_HZ, 0.99, TEXT, speed=1.0)
    assert fault_of_samples(tone(0.4), RATE_HZ, 0.99, TEXT, speed=2.0) is None
