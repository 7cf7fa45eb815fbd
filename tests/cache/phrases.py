"""Keys and entries for the cache's tests."""

import hashlib

import numpy as np

from cosyedge.core.speech import Speech
from cosyedge.service.ports import CachedSpeech


def key(number: int) -> str:
    """A key like a real one."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def entry(number: int = 0, duration_s: float = 0.1) -> CachedSpeech:
    """A sound that is unlike those of other numbers."""
    random = np.random.default_rng(number)
    samples = 0.1 * random.standard_normal(round(24_000 * duration_s))
    return CachedSpeech(Speech(samples.astype(np.float32), 24_000), 0.5, -23.0)


def same(first: CachedSpeech | None, second: CachedSpeech) -> bool:
    """Whether two entries sound alike to the 16 bits that are kept."""
    return (
        first is not None
        and first.speech.rate_hz == second.speech.rate_hz
        and first.speech.samples.shape == second.speech.samples.shape
        and bool(np.abs(first.speech.samples - second.speech.samples).max() <= 0.51 / 32767)
        and (first.peak, first.lufs) == (second.peak, second.lufs)
    )
