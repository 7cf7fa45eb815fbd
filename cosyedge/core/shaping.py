"""Shaping: what a zone does to speech before it sounds. Nothing here is ever cached.

Gain is one figure a voice and a zone, never one a sentence; the limiter catches what it lifts
too high. All of it works on float32 samples, mono, shape ``(frames,)``.
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cosyedge.core.loudness import peak_envelope, true_peak
from cosyedge.core.speech import Samples, Speech

CEILING_DB: Final = -1.0
# Attack is a ramp over 11 blocks of 1 ms, release a time constant of 120 ms: shorter ones
# modulate a bass note, longer ones hold the word after a plosive down.
_ATTACK_BLOCKS: Final = 5
_RELEASE_BLOCKS: Final = 120.0
_SILENT: Final = 1e-3
_LOW_TONE: Final = 0.00316
_LOW_TONE_HZ: Final = 60.0
_FULL_SCALE: Final = 0.999
_CLIPPED_SHARE: Final = 0.02


class Flaw(StrEnum):
    """Why samples are no speech; the failure's code is ``bad_audio`` for each."""

    EMPTY = "empty"
    NOT_FINITE = "not_finite"
    SILENT = "silent"
    TOO_LONG = "too_long"
    CLIPPED = "clipped"


def check_audio(samples: Samples, rate_hz: int, chars: int | None = None) -> Flaw | None:
    """Tell what is wrong with an engine's output, if anything is.

    ``chars`` is the length of the spoken text; without it the length is bounded by 120 s.
    """
    if not len(samples):
        return Flaw.EMPTY
    if not np.isfinite(samples).all():
        return Flaw.NOT_FINITE
    longest_s = 120.0 if chars is None else longest_plausible_s(chars)
    if len(samples) > longest_s * rate_hz:
        return Flaw.TOO_LONG
    magnitude = np.abs(samples)
    # A constant offset is as silent as zeros are.
    if float(magnitude.max()) < _SILENT or float(np.ptp(samples)) < _SILENT:
        return Flaw.SILENT
    clipped = np.count_nonzero(magnitude >= _FULL_SCALE)
    return Flaw.CLIPPED if clipped > _CLIPPED_SHARE * len(samples) else None


def longest_plausible_s(chars: int) -> float:
    """No voice at half speed needs longer: a spelt-out digit or hanzi takes 0.8 s there."""
    return 4.0 + 1.0 * chars


def db_to_factor(level_db: float) -> float:
    """Amplitude factor of a level in dB; minus infinity gives 0."""
    return 0.0 if level_db == -math.inf else float(10 ** (level_db / 20))


def factor_to_db(factor: float) -> float:
    """Level in dB of an amplitude factor; 0 gives minus infinity."""
    return 20 * math.log10(factor) if factor > 0 else -math.inf


def shape(
    speech: Speech, *, gain_db: float = 0.0, volume: float = 1.0, peak: float | None = None
) -> Speech:
    """Apply gain and volume (a factor, 0 to 1), then the limiter where it is needed.

    ``peak`` is the true peak measured before, so that a cached phrase is not measured again.
    """
    factor = db_to_factor(gain_db) * min(max(volume, 0.0), 1.0)
    samples = speech.samples if factor == 1.0 else speech.samples * np.float32(factor)
    if peak is None or peak * factor > db_to_factor(CEILING_DB):
        samples = limit(samples, speech.rate_hz)
    return Speech(samples, speech.rate_hz)


def limit(samples: Samples, rate_hz: int, ceiling_db: float = CEILING_DB) -> Samples:
    """Bring the true peak down to ``ceiling_db`` by a look-ahead gain; else return it as it is.

    The gain changes over 11 ms and comes back slowly, so a level above the ceiling that stays
    is turned down evenly.
    """
    ceiling = db_to_factor(ceiling_db)
    if true_peak(samples) <= ceiling:
        return samples
    block = max(1, rate_hz // 1000)
    gains = _gain_curve(_block_peaks(samples, block), ceiling)  # (blocks + 1,)
    gain = np.interp(np.arange(len(samples)), np.arange(len(gains)) * block, gains)
    return np.asarray(samples * gain, dtype=np.float32)


def _block_peaks(samples: Samples, block: int) -> NDArray[np.float32]:
    envelope = peak_envelope(samples)
    padded = np.pad(envelope, (0, -len(envelope) % block))
    peaks: NDArray[np.float32] = padded.reshape(-1, block).max(axis=1)  # (blocks,)
    return peaks


def _gain_curve(peaks: NDArray[np.float32], ceiling: float) -> NDArray[np.float64]:
    """Gain at each block's edge, ``(blocks + 1,)``, never above what its neighbours bear."""
    wanted = ceiling / np.maximum(peaks.astype(np.float64), ceiling)
    edges = np.minimum(np.append(wanted, 1.0), np.insert(wanted, 0, 1.0))
    span = 2 * _ATTACK_BLOCKS + 1
    ahead = sliding_window_view(np.pad(edges, _ATTACK_BLOCKS, mode="edge"), span).min(axis=1)
    rise = 1 - math.exp(-1 / _RELEASE_BLOCKS)
    held = np.empty_like(ahead)
    gain = float(ahead[0])
    for index, bound in enumerate(ahead.tolist()):
        gain = min(bound, gain + (1 - gain) * rise)
        held[index] = gain
    # The mean of values that each bear this edge bears it too: a ramp in place of a step.
    smooth = sliding_window_view(np.pad(held, _ATTACK_BLOCKS, mode="edge"), span).mean(axis=1)
    return np.asarray(smooth)


def fade_in(samples: Samples, rate_hz: int, duration_s: float) -> Samples:
    """Raise the first ``duration_s`` from silence (a half cosine)."""
    frames = min(len(samples), round(duration_s * rate_hz))
    faded = samples.copy()
    faded[:frames] *= _half_cosine(frames)
    return faded


def fade_out(samples: Samples, rate_hz: int, duration_s: float) -> Samples:
    """Lower the last ``duration_s`` to silence (a half cosine)."""
    frames = min(len(samples), round(duration_s * rate_hz))
    faded = samples.copy()
    faded[len(faded) - frames :] *= _half_cosine(frames)[::-1]
    return faded


def silence(duration_s: float, rate_hz: int) -> Speech:
    """A pause; no shorter than nothing."""
    return Speech(np.zeros(max(0, round(duration_s * rate_hz)), dtype=np.float32), rate_hz)


def lead_in(duration_s: float, rate_hz: int, *, low_tone: bool = False) -> Speech:
    """What an amplifier may swallow while it wakes: silence, or the low tone."""
    pause = silence(duration_s, rate_hz)
    return with_low_tone(pause, 0) if low_tone else pause


def with_low_tone(speech: Speech, first_frame: int) -> Speech:
    """Lay a tone of 60 Hz at -50 dBFS under it, which no ear hears beside speech.

    Amplifiers that switch themselves on take digital silence for no signal. ``first_frame``
    is where the clip begins in the programme, so that the tone goes on without a step.
    """
    frames = np.arange(first_frame, first_frame + len(speech.samples))
    tone = _LOW_TONE * np.sin(2 * np.pi * _LOW_TONE_HZ / speech.rate_hz * frames)
    return Speech((speech.samples + tone).astype(np.float32), speech.rate_hz)


def joined(parts: Sequence[Speech]) -> Speech:
    """One clip of several of one rate; raises ValueError for none or for unlike rates."""
    rates = {part.rate_hz for part in parts}
    if len(rates) != 1:
        raise ValueError(f"cannot join clips of the rates {sorted(rates)}")
    return Speech(np.concatenate([part.samples for part in parts]), rates.pop())


def _half_cosine(frames: int) -> Samples:
    return (0.5 - 0.5 * np.cos(np.pi * (np.arange(frames) + 0.5) / max(1, frames))).astype(
        np.float32
    )
