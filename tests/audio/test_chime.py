"""The chimes that are made from arithmetic."""

import numpy as np
import pytest

from cosyedge.core.chime import ATTENTION, CHIMES, attention_tone, make_chime
from cosyedge.core.loudness import measure
from cosyedge.core.shaping import check_audio


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 24_000, 48_000])
@pytest.mark.parametrize("name", CHIMES)
def test_chimes_are_sound_at_every_rate(name: str, rate_hz: int) -> None:
    chime = make_chime(name, rate_hz)
    assert chime.rate_hz == rate_hz
    assert chime.duration_s == pytest.approx(CHIMES[name].duration_s, abs=0.001)
    assert check_audio(chime.samples, rate_hz) is None
    levels = measure(chime.samples, rate_hz)
    assert 0.49 < levels.peak < 0.55
    assert -22 < levels.lufs < -12


def test_chimes_begin_and_end_in_silence() -> None:
    for name in CHIMES:
        samples = make_chime(name, 24_000).samples
        assert abs(samples[0]) < 0.001
        assert np.abs(samples[-24:]).max() < 0.002


def test_attention_tone_is_always_the_same() -> None:
    assert np.array_equal(attention_tone(24_000).samples, make_chime(ATTENTION, 24_000).samples)


def test_unknown_chime_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        make_chime("nope", 24_000)
