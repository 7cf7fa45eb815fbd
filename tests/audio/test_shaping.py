"""Gain, limiter, fades, lead-in, joining and the check of an engine's output."""

import numpy as np
import pytest

from cosyedge.core.loudness import integrated_lufs, true_peak
from cosyedge.core.shaping import (
    CEILING_DB,
    Flaw,
    check_audio,
    db_to_factor,
    factor_to_db,
    fade_in,
    fade_out,
    joined,
    lead_in,
    limit,
    longest_plausible_s,
    shape,
    silence,
    with_low_tone,
)
from cosyedge.core.speech import Samples, Speech
from tests.audio.sounds import noise, tone

RATE_HZ = 24_000


def speechlike(gain: float, rate_hz: int = RATE_HZ) -> Samples:
    """Syllables of noise and tone: 4 bursts a second with hard onsets."""
    times = np.arange(2 * rate_hz) / rate_hz
    envelope = np.exp(-((times * 4) % 1.0) * 4)
    body = np.sin(2 * np.pi * 180 * times) + 0.3 * noise(2.0, rate_hz).samples / 0.1
    return (gain * envelope * body).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 22_050, 24_000, 48_000])
@pytest.mark.parametrize("gain", [1.0, 2.0, 8.0])
def test_limited_speech_stays_below_the_ceiling(rate_hz: int, gain: float) -> None:
    limited = limit(speechlike(gain, rate_hz), rate_hz)
    assert factor_to_db(true_peak(limited)) <= CEILING_DB + 0.1
    assert np.abs(limited).max() <= db_to_factor(CEILING_DB) + 1e-6


def test_speech_below_the_ceiling_is_not_touched() -> None:
    samples = speechlike(0.2)
    assert limit(samples, RATE_HZ) is samples


def test_steady_loud_sound_is_turned_down_evenly() -> None:
    """A limiter that pumps would modulate it."""
    for pitch_hz in (90.0, 440.0, 3000.0):
        loud = tone(2.0, pitch_hz=pitch_hz).samples * 6
        limited = limit(loud, RATE_HZ)[RATE_HZ // 4 : -RATE_HZ // 4]
        blocks = np.abs(limited.reshape(-1, RATE_HZ // 30)).max(axis=1)
        assert factor_to_db(blocks.max() / blocks.min()) < 0.15


def test_one_loud_plosive_does_not_hold_the_next_words_down() -> None:
    samples = tone(2.0).samples.copy()
    samples[RATE_HZ // 2 : RATE_HZ // 2 + 240] *= 6
    limited = limit(samples, RATE_HZ)
    later = slice(RATE_HZ + RATE_HZ // 4, None)
    assert np.abs(limited[later]).max() == pytest.approx(np.abs(samples[later]).max(), rel=0.01)


def test_gain_and_volume_multiply() -> None:
    shaped = shape(tone(0.5), gain_db=-6.0, volume=0.5)
    assert np.abs(shaped.samples).max() == pytest.approx(0.316 * 0.5 * 0.501, rel=0.01)


def test_volume_is_kept_between_nothing_and_full() -> None:
    assert not shape(tone(0.1), volume=-1.0).samples.any()
    assert np.array_equal(shape(tone(0.1), volume=7.0).samples, tone(0.1).samples)


def test_known_peak_decides_without_measuring() -> None:
    speech = tone(0.5)
    assert shape(speech, peak=0.316).samples is speech.samples
    lifted = shape(speech, gain_db=20.0, peak=0.316).samples
    assert np.abs(lifted).max() <= db_to_factor(CEILING_DB) + 1e-6


def test_shaping_never_changes_what_the_cache_holds() -> None:
    speech = tone(0.5)
    before = speech.samples.copy()
    shape(speech, gain_db=30.0)
    fade_in(speech.samples, RATE_HZ, 0.1)
    fade_out(speech.samples, RATE_HZ, 0.1)
    with_low_tone(speech, 0)
    assert np.array_equal(speech.samples, before)


def test_fades_begin_and_end_in_silence_and_meet_the_sound() -> None:
    samples = np.ones(RATE_HZ, dtype=np.float32)
    opened, closed = fade_in(samples, RATE_HZ, 0.15), fade_out(samples, RATE_HZ, 0.15)
    assert opened[0] < 0.001
    assert closed[-1] < 0.001
    assert opened[3600:].min() == closed[:-3600].min() == 1.0
    assert np.abs(np.diff(opened)).max() < 0.001
    assert np.array_equal(opened, closed[::-1])


def test_fade_longer_than_the_clip_fits_it() -> None:
    short = np.ones(100, dtype=np.float32)
    assert fade_out(short, RATE_HZ, 1.0)[-1] < 0.001
    assert fade_out(short[:0], RATE_HZ, 1.0).shape == (0,)


def test_lead_in_is_silence_or_a_tone_nobody_hears() -> None:
    assert not lead_in(0.5, RATE_HZ).samples.any()
    low = lead_in(1.0, RATE_HZ, low_tone=True)
    assert low.duration_s == 1.0
    assert integrated_lufs(low.samples, RATE_HZ) < -53
    assert factor_to_db(float(np.abs(low.samples).max())) == pytest.approx(-50, abs=0.1)


def test_low_tone_goes_on_over_parts_without_a_step() -> None:
    whole = with_low_tone(silence(1.0, RATE_HZ), 0).samples
    halves = [
        with_low_tone(silence(0.5, RATE_HZ), 0),
        with_low_tone(silence(0.5, RATE_HZ), RATE_HZ // 2),
    ]
    assert np.allclose(joined(halves).samples, whole, atol=1e-7)


def test_silence_has_its_length_and_never_less_than_none() -> None:
    assert len(silence(0.25, RATE_HZ).samples) == 6_000
    assert len(silence(-1.0, RATE_HZ).samples) == 0


def test_joining_unlike_rates_or_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="rates"):
        joined([tone(0.1, 24_000), tone(0.1, 22_050)])
    with pytest.raises(ValueError, match="rates"):
        joined([])


@pytest.mark.parametrize(
    ("samples", "flaw"),
    [
        (np.zeros(0), Flaw.EMPTY),
        (np.array([0.1, np.nan, 0.1]), Flaw.NOT_FINITE),
        (np.array([0.1, np.inf, 0.1]), Flaw.NOT_FINITE),
        (np.zeros(RATE_HZ), Flaw.SILENT),
        (np.full(RATE_HZ, 0.5), Flaw.SILENT),
        (noise(40.0).samples, Flaw.TOO_LONG),
        (np.sign(tone(1.0).samples), Flaw.CLIPPED),
        (tone(1.0).samples, None),
    ],
)
def test_bad_audio_is_told_by_its_flaw(samples: Samples, flaw: Flaw | None) -> None:
    assert check_audio(samples.astype(np.float32), RATE_HZ, chars=5) is flaw


def test_length_is_judged_by_the_text() -> None:
    assert check_audio(noise(20.0).samples, RATE_HZ, chars=5) is Flaw.TOO_LONG
    assert check_audio(noise(20.0).samples, RATE_HZ, chars=200) is None
    assert check_audio(noise(20.0).samples, RATE_HZ) is None
    assert check_audio(noise(121.0, 8_000).samples, 8_000) is Flaw.TOO_LONG
    assert longest_plausible_s(1) > 2.0


def test_shape_keeps_the_rate() -> None:
    assert shape(Speech(noise(0.1, 22_050).samples, 22_050), gain_db=3.0).rate_hz == 22_050
