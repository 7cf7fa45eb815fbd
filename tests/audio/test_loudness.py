"""Loudness and true peak against known values."""

import numpy as np
import pytest

from cosyedge.core.loudness import QUIETEST_LUFS, integrated_lufs, measure, true_peak
from cosyedge.core.speech import Samples

RATES = (8_000, 16_000, 22_050, 24_000, 44_100, 48_000)


def sine(duration_s: float, rate_hz: int, level_db: float, *, pitch_hz: float = 997.0) -> Samples:
    """A sine of one level."""
    times = np.arange(round(duration_s * rate_hz)) / rate_hz
    return (10 ** (level_db / 20) * np.sin(2 * np.pi * pitch_hz * times)).astype(np.float32)


@pytest.mark.parametrize("rate_hz", RATES)
def test_full_scale_sine_of_997_hz_reads_minus_3_01(rate_hz: int) -> None:
    """BS.1770-4: that is what its calibration says of one channel."""
    assert integrated_lufs(sine(5, rate_hz, 0.0), rate_hz) == pytest.approx(-3.01, abs=0.05)


@pytest.mark.parametrize("level_db", [-10.0, -20.0, -33.0, -40.0])
def test_loudness_follows_the_level(level_db: float) -> None:
    lufs = integrated_lufs(sine(5, 48_000, level_db), 48_000)
    assert lufs == pytest.approx(level_db - 3.01, abs=0.05)


def test_quiet_stretches_are_gated_out() -> None:
    """EBU Tech 3341 case 3, in one channel: 10 s, 60 s and 10 s at -36, -23 and -36."""
    levels = [(10, -36.0), (60, -23.0), (10, -36.0)]
    signal = np.concatenate([sine(s, 48_000, level, pitch_hz=1000.0) for s, level in levels])
    assert integrated_lufs(signal, 48_000) == pytest.approx(-26.0, abs=0.1)


def test_silence_between_sentences_does_not_count() -> None:
    """EBU Tech 3341 case 4 in its effect: what lies below -70 LUFS is left out."""
    levels = [(10, -72.0), (10, -36.0), (60, -23.0), (10, -36.0), (10, -72.0)]
    signal = np.concatenate([sine(s, 48_000, level, pitch_hz=1000.0) for s, level in levels])
    assert integrated_lufs(signal, 48_000) == pytest.approx(-26.0, abs=0.1)


def test_weighting_raises_treble_and_cuts_bass() -> None:
    """The response of BS.1770-4 at 10 kHz is +4.0 dB on 997 Hz + 0.69, at 25 Hz below -10."""
    reference = integrated_lufs(sine(5, 48_000, -20.0), 48_000)
    treble = integrated_lufs(sine(5, 48_000, -20.0, pitch_hz=10_000.0), 48_000)
    bass = integrated_lufs(sine(5, 48_000, -20.0, pitch_hz=25.0), 48_000)
    assert treble - reference == pytest.approx(3.33, abs=0.15)
    assert bass - reference < -9.0


def test_short_and_silent_clips_have_a_loudness() -> None:
    short = integrated_lufs(sine(0.2, 24_000, -20.0), 24_000)
    assert short == pytest.approx(-23.0, abs=0.5)
    assert integrated_lufs(np.zeros(24_000, dtype=np.float32), 24_000) == QUIETEST_LUFS
    assert integrated_lufs(np.zeros(0, dtype=np.float32), 24_000) == QUIETEST_LUFS


def test_true_peak_sees_between_the_samples() -> None:
    """EBU Tech 3341 case 16: a quarter of the rate at 45 degrees never samples its crest."""
    phase = np.arange(48_000) * np.pi / 2 + np.pi / 4
    wave = 0.5 * np.sin(phase) * np.minimum(1.0, np.minimum(np.arange(48_000), 4800) / 4800)
    assert np.abs(wave).max() < 0.36
    assert true_peak(wave.astype(np.float32)) == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize("share_of_rate", [0.05, 0.1, 0.2, 0.3, 0.4])
def test_true_peak_of_a_sine_is_its_amplitude(share_of_rate: float) -> None:
    """But for what 4 times oversampling misses by design (BS.1770-4 Annex 2 appendix)."""
    fade = np.hanning(4000)
    phases = np.linspace(0, np.pi, 9)
    peaks = [
        true_peak((fade * np.sin(2 * np.pi * share_of_rate * np.arange(4000) + p)).astype("f4"))
        for p in phases
    ]
    assert min(peaks) > np.cos(np.pi * share_of_rate / 4) - 0.01
    assert max(peaks) < 1.01


def test_true_peak_of_tiny_clips_is_their_sample_peak() -> None:
    assert true_peak(np.array([0.25, -0.5], dtype=np.float32)) == 0.5
    assert true_peak(np.zeros(0, dtype=np.float32)) == 0.0


def test_measure_gives_both() -> None:
    levels = measure(sine(2, 24_000, -20.0), 24_000)
    assert levels.peak == pytest.approx(0.1, rel=0.02)
    assert levels.lufs == pytest.approx(-23.0, abs=0.1)
