"""Where speech comes from: workers, and the phrase cache before them."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """One line about the workers: for health, state and the watchdog.

    ``progressed_at`` is the monotonic time of the last sign of life of the busiest worker;
    ``deadline_at`` is set while a request is in flight.
    """

    state: str
    rss_bytes: int = 0
    progressed_at: float = 0.0
    deadline_at: float | None = None
    restarts: int = 0
    fault: str | None = None


class SpeechEngine(Protocol):
    """Workers that turn requests into speech."""

    @property
    def voices(self) -> Mapping[str, Voice]:
        """The voices by name."""
        ...

    def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        """Yield (index, speech) as each is made. Raises EngineFailure, or Cancelled when a
        higher priority took the worker. Closing the iterator cancels the synthesis."""
        ...

    async def ping(self, timeout_s: float) -> float:
        """Round trip in seconds through the loop that synthesizes. Raises EngineFailure."""
        ...

    def status(self) -> EngineStatus:
        """The state of the workers."""
        ...


@dataclass(frozen=True, slots=True)
class CachedSpeech:
    """An entry of the phrase cache with what was measured of it."""

    speech: Speech
    peak: float
    lufs: float


class PhraseStore(Protocol):
    """The phrase cache, memory before disk. Never raises for a damaged or absent entry."""

    def recall(self, key: str) -> CachedSpeech | None:
        """The entry, if it lies in memory; quick enough for the event loop."""
        ...

    async def fetch(self, key: str) -> CachedSpeech | None:
        """The entry from memory or disk."""
        ...

    async def keep(self, key: str, entry: CachedSpeech, *, pinned: bool = False) -> None:
        """Store it; a full or broken disk costs only the disk tier."""
        ...

    async def pin(self, key: str, *, pinned: bool = True) -> bool:
        """Pin or unpin a stored entry; False where there is none."""
        ...

    async def clear(self, *, pinned: bool = False) -> int:
        """Drop all entries (the pinned ones only if asked); returns how many."""
        ...

    def shed(self) -> int:
        """Drop the memory tier; returns the bytes given back."""
        ...

    def stats(self) -> Mapping[str, Any]:
        """Counters for health and for request/cache_stats."""
        ...
