"""Loudness and true peak of a mono clip, as ITU-R BS.1770-4 defines them.

One channel is weighted 1.0 as a front channel is, so a full-scale 997 Hz sine reads -3.01 LUFS.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.speech import Samples

QUIETEST_LUFS: Final = -70.0
_BLOCK_S: Final = 0.4
_STEP_S: Final = 0.1
_RELATIVE_GATE_LU: Final = -10.0
_OFFSET_LUFS: Final = -0.691

_PHASES: Final = 4
_TAPS: Final = 12
_KAISER_BETA: Final = 5.0


@dataclass(frozen=True, slots=True)
class Levels:
    """What is kept beside a clip: ``peak`` is the true peak as a factor, 1.0 = 0 dBTP."""

    peak: float
    lufs: float


def measure(samples: Samples, rate_hz: int) -> Levels:
    """Measure both; costs about 1 ms a second of audio."""
    return Levels(true_peak(samples), integrated_lufs(samples, rate_hz))


def integrated_lufs(samples: Samples, rate_hz: int) -> float:
    """Gated loudness in LUFS (BS.1770-4 Annex 1), no less than QUIETEST_LUFS.

    A clip shorter than one 400 ms block is measured whole and ungated.
    """
    if not len(samples):
        return QUIETEST_LUFS
    power = np.square(_k_weighted(samples, rate_hz))
    block, step = round(_BLOCK_S * rate_hz), round(_STEP_S * rate_hz)
    if len(power) < block:
        return _lufs(float(power.mean()))
    total = np.concatenate(([0.0], np.cumsum(power)))
    starts = np.arange(0, len(power) - block + 1, step)
    blocks = (total[starts + block] - total[starts]) / block  # (blocks,)
    audible = blocks[blocks > _power(QUIETEST_LUFS)]
    if not len(audible):
        return QUIETEST_LUFS
    threshold = float(audible.mean()) * 10 ** (_RELATIVE_GATE_LU / 10)
    return _lufs(float(audible[audible > threshold].mean()))


def true_peak(samples: Samples) -> float:
    """Highest value of the waveform between the samples too (BS.1770-4 Annex 2, 4 times)."""
    return float(peak_envelope(samples).max(initial=0.0))


def peak_envelope(samples: Samples) -> Samples:
    """Highest magnitude around each sample of the waveform oversampled 4 times, ``(frames,)``."""
    envelope = np.abs(samples)
    if len(samples) < _TAPS:
        return envelope
    for taps in _interpolator()[1:]:
        between = np.abs(np.convolve(samples, taps, mode="same"))
        np.maximum(envelope, between, out=envelope)
    return envelope


def _interpolator() -> NDArray[np.float32]:
    """Kaiser-windowed sinc, one row a phase: shape ``(phases, taps)``."""
    phases = np.arange(_PHASES)[:, None] / _PHASES
    times = np.arange(_TAPS)[None, :] - _TAPS // 2 + phases  # in samples, from -6 to 5.75
    place = np.sqrt(np.maximum(0.0, 1 - (2 * times / _TAPS) ** 2))
    taps = np.sinc(times) * np.i0(_KAISER_BETA * place)
    return np.asarray(taps / taps.sum(axis=1, keepdims=True), dtype=np.float32)


def _k_weighted(samples: Samples, rate_hz: int) -> NDArray[np.float64]:
    """Apply both filters of the K weighting in the frequency domain, ``(frames,)``.

    The filters ring for less than 0.3 s, so that much of silence keeps the circular
    convolution from reaching around; numpy alone has no recursive filter.
    """
    size = _fast_size(len(samples) + round(0.3 * rate_hz))
    delay = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)  # z^-1 at each bin
    response = np.ones(size // 2 + 1, dtype=np.complex128)
    for numerator, denominator in (_head_shelf(rate_hz), _low_cut(rate_hz)):
        response *= np.polynomial.polynomial.polyval(delay, numerator)
        response /= np.polynomial.polynomial.polyval(delay, denominator)
    weighted: NDArray[np.float64] = np.fft.irfft(np.fft.rfft(samples, size) * response, size)
    return weighted[: len(samples)]


def _head_shelf(rate_hz: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Stage 1 of BS.1770-4 for any rate: its 48 kHz table as a high shelf of 1681.97 Hz."""
    k = math.tan(math.pi * 1681.974450955533 / rate_hz)
    q = 0.7071752369554196
    high = 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    norm = 1 + k / q + k * k
    numerator = (
        (high + middle * k / q + k * k) / norm,
        2 * (k * k - high) / norm,
        (high - middle * k / q + k * k) / norm,
    )
    return numerator, (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)


def _low_cut(rate_hz: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Stage 2 of BS.1770-4 for any rate: its 48 kHz table as a high-pass of 38.14 Hz."""
    k = math.tan(math.pi * 38.13547087602444 / rate_hz)
    q = 0.5003270373238773
    norm = 1 + k / q + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)


def _fast_size(frames: int) -> int:
    """Smallest 2^a, 3 x 2^a or 5 x 2^a that holds ``frames``: lengths that FFTs are quick at."""
    powers = {factor: max(0, math.ceil(math.log2(frames / factor))) for factor in (1, 3, 5)}
    return min(factor << power for factor, power in powers.items())


def _lufs(power: float) -> float:
    return max(QUIETEST_LUFS, _OFFSET_LUFS + 10 * math.log10(max(power, 1e-12)))


def _power(lufs: float) -> float:
    return float(10 ** ((lufs - _OFFSET_LUFS) / 10))
