"""Sounds and programmes for the tests."""

import numpy as np

from cosyedge.core.speech import Speech
from cosyedge.service.ports import Programme

PROGRAMME = Programme(id="a1", zone="kitchen", parts=1, expires_at=1e9)


def tone(duration_s: float, rate_hz: int = 24_000, *, pitch_hz: float = 440.0) -> Speech:
    """A sine at -10 dBFS."""
    times = np.arange(round(duration_s * rate_hz)) / rate_hz
    return Speech((0.316 * np.sin(2 * np.pi * pitch_hz * times)).astype(np.float32), rate_hz)


def noise(duration_s: float, rate_hz: int = 24_000, *, seed: int = 1) -> Speech:
    """White noise at about -20 dBFS: no piece of it is like another."""
    random = np.random.default_rng(seed)
    samples = 0.1 * random.standard_normal(round(duration_s * rate_hz))
    return Speech(samples.astype(np.float32), rate_hz)
