"""Chimes made from nothing but arithmetic, so that one sounds when all else has failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from cosyedge.core.shaping import fade_in, fade_out
from cosyedge.core.speech import Samples, Speech


@dataclass(frozen=True, slots=True)
class Note:
    """One strike: when it begins, its pitch, and how fast it dies away (time constant)."""

    start_s: float
    pitch_hz: float
    decay_s: float


@dataclass(frozen=True, slots=True)
class Chime:
    """Notes that overlap, and how long the whole lasts."""

    notes: tuple[Note, ...]
    duration_s: float


ATTENTION: Final = "attention"

CHIMES: Mapping[str, Chime] = {
    ATTENTION: Chime((Note(0.0, 784.0, 0.35), Note(0.45, 587.3, 0.5)), 1.5),
    "ding": Chime((Note(0.0, 880.0, 0.35),), 1.0),
    "three_tone": Chime((Note(0.0, 523.3, 0.4), Note(0.4, 659.3, 0.4), Note(0.8, 784.0, 0.6)), 2.2),
    "alarm": Chime(
        tuple(Note(0.25 * n, 988.0 if n % 2 == 0 else 740.0, 0.3) for n in range(8)), 2.2
    ),
}

# Partials of a struck bar, softened: (multiple of the pitch, share of the level).
_PARTIALS: Final = ((1.0, 1.0), (2.0, 0.35), (3.01, 0.12))
_PEAK: Final = 0.5


def make_chime(name: str, rate_hz: int) -> Speech:
    """Render a chime of CHIMES, peak -6 dBFS; raises KeyError for a name that is not there."""
    chime = CHIMES[name]
    samples = np.zeros(round(chime.duration_s * rate_hz), dtype=np.float32)
    for note in chime.notes:
        start = round(note.start_s * rate_hz)
        samples[start:] += _strike(note, len(samples) - start, rate_hz)
    samples *= _PEAK / np.abs(samples).max()
    return Speech(fade_out(samples, rate_hz, 0.05), rate_hz)


def attention_tone(rate_hz: int) -> Speech:
    """The last rung of the ladder: two falling notes, 1.5 s."""
    return make_chime(ATTENTION, rate_hz)


def _strike(note: Note, frames: int, rate_hz: int) -> Samples:
    times = np.arange(frames) / rate_hz
    wave = np.zeros(frames)
    for multiple, share in _PARTIALS:
        # A higher partial dies sooner, as on a real bar.
        decay = np.exp(-times * multiple / note.decay_s)
        wave += share * decay * np.sin(2 * np.pi * note.pitch_hz * multiple * times)
    return fade_in(wave.astype(np.float32), rate_hz, 0.004)
