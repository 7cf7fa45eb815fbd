"""Speech: samples that know their rate, and the request that asks an engine for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.float32]

_NO_SETTINGS: Mapping[str, float | int | str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Speech:
    """What an engine made and what the cache keeps: unshaped, at the voice's own rate.

    ``samples``: float32 in [-1, 1], mono, shape ``(frames,)``. ``remarks`` are codes of what its
    listener should be told, such as ``reseeded``.
    """

    samples: Samples
    rate_hz: int
    remarks: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz


@dataclass(frozen=True, slots=True)
class SpeechRequest:
    """One sentence for one voice: all that can change its sound, and nothing else.

    ``quality`` holds engine-specific settings (tier, steps, temperature, seed).
    """

    spoken: str
    lang: str
    voice: str
    speaker: str | None = None
    speed: float = 1.0
    phonemes: str | None = None
    quality: Mapping[str, float | int | str] = field(default_factory=lambda: _NO_SETTINGS)
