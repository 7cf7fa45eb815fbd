"""The phrase cache: a memory tier before a disk tier, each bounded by bytes."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from cosyedge.adapters.cache_disk import DiskTier
from cosyedge.adapters.cache_entry import StoredPhrase, stored
from cosyedge.adapters.cache_folder import KEY
from cosyedge.core.phrase_cache import Shelf
from cosyedge.core.shaping import check_audio
from cosyedge.service.ports import CachedSpeech

MEMORY_BYTES: Final = 32 * 2**20


@dataclass(slots=True)
class Counters:
    """What happened since the start."""

    hits_memory: int = 0
    hits_disk: int = 0
    misses: int = 0
    stored: int = 0
    refused: int = 0


class PhraseCache:
    """Satisfies service.ports.PhraseStore. Use ``open`` before and ``close`` after."""

    def __init__(self, disk: DiskTier | None, memory_bytes: int = MEMORY_BYTES) -> None:
        """Begin empty; without ``disk`` there is the memory tier alone."""
        self._disk = disk
        self._memory = Shelf(memory_bytes)
        self._phrases: dict[str, StoredPhrase] = {}
        self._counters = Counters()
        self._reading = asyncio.Lock()

    @property
    def fault(self) -> str | None:
        """``disk`` while the disk tier does not take entries."""
        return self._disk.fault if self._disk else None

    async def open(self) -> None:
        """Index what the disk holds.

        Raises StorageFailure("in_use") where another daemon has the folder; any other trouble
        is the ``fault``.
        """
        if self._disk:
            await self._disk.open()

    async def close(self) -> None:
        """Give the folder back."""
        if self._disk:
            await self._disk.close()

    async def recover(self) -> None:
        """Try a disk at fault again, if it is time; once it is back it is given the pins."""
        if self._disk is None or not await self._disk.recover():
            return
        for key in [key for key in self._memory if self._memory.is_pinned(key)]:
            if await self._disk.save(key, self._phrases[key], pinned=True):
                self._memory.pin(key, pinned=False)

    def recall(self, key: str) -> CachedSpeech | None:
        """The entry, if it lies in memory (0.03 ms for 2 s of audio)."""
        phrase = self._phrases.get(key)
        if phrase is None:
            return None
        self._counters.hits_memory += 1
        self._memory.touch(key)
        if self._disk:
            self._disk.touch(key)
        return phrase.to_cached()

    async def fetch(self, key: str) -> CachedSpeech | None:
        """The entry from memory or disk; a damaged one is removed and is a miss."""
        entry = self.recall(key)
        if entry is not None:
            return entry
        async with self._reading:
            # Whoever waited here for the same phrase finds it in memory now.
            entry = self.recall(key)
            if entry is not None:
                return entry
            phrase = await self._disk.load(key) if self._disk else None
        if phrase is None:
            self._counters.misses += 1
            return None
        self._counters.hits_disk += 1
        self._remember(key, phrase)
        if self._disk:
            self._disk.touch(key)
        return phrase.to_cached()

    async def keep(self, key: str, entry: CachedSpeech, *, pinned: bool = False) -> None:
        """Store it in both tiers; bad audio is refused and counted.

        Raises ValueError for a key that is not 64 hex digits.
        """
        if not KEY.fullmatch(key):
            raise ValueError(f"not a phrase key: {key!r}")
        if check_audio(entry.speech.samples, entry.speech.rate_hz) is not None:
            self._counters.refused += 1
            return
        phrase = stored(entry)
        self._counters.stored += 1
        # Memory has it at once, and holds a pin for as long as no disk does.
        self._remember(key, phrase, pinned=pinned)
        if self._disk and await self._disk.save(key, phrase, pinned=pinned):
            self._memory.pin(key, pinned=False)

    async def pin(self, key: str, *, pinned: bool = True) -> bool:
        """Pin or unpin; False where there is no such entry, or no room among the pinned."""
        if self._disk and key in self._disk.shelf:
            return await self._disk.pin(key, pinned=pinned)
        return self._memory.pin(key, pinned=pinned)

    async def clear(self, *, pinned: bool = False) -> int:
        """Drop all entries (the pinned ones only if asked); returns how many."""
        shelves = [self._memory, *([self._disk.shelf] if self._disk else [])]
        everything = {key for shelf in shelves for key in shelf}
        spared = {
            key
            for key in everything
            if not pinned and any(shelf.is_pinned(key) for shelf in shelves)
        }
        gone = everything - spared
        for key in gone:
            self._forget(key)
        if self._disk:
            await self._disk.remove(gone)
        return len(gone)

    def shed(self) -> int:
        """Drop the memory tier, but for pins that no disk holds; returns the bytes given back."""
        before = self._memory.total_bytes
        for key in [key for key in self._memory if not self._memory.is_pinned(key)]:
            self._forget(key)
        return before - self._memory.total_bytes

    def stats(self) -> Mapping[str, Any]:
        """Counters since the start, each tier's fill, and the fault if there is one."""
        facts: dict[str, Any] = {**asdict(self._counters), "fault": self.fault}
        facts["memory"] = _fill(self._memory)
        if self._disk:
            facts["disk"] = {
                **_fill(self._disk.shelf),
                "damaged": self._disk.damaged,
                "evicted": self._disk.evicted,
                "foreign": self._disk.foreign,
            }
        return facts

    def _remember(self, key: str, phrase: StoredPhrase, *, pinned: bool = False) -> None:
        self._phrases[key] = phrase
        for gone in self._memory.add(key, phrase.size_bytes, pinned=pinned):
            self._phrases.pop(gone, None)

    def _forget(self, key: str) -> None:
        self._memory.remove(key)
        self._phrases.pop(key, None)


def _fill(shelf: Shelf) -> dict[str, int]:
    return {
        "entries": len(shelf),
        "bytes": shelf.total_bytes,
        "pinned_bytes": shelf.pinned_bytes,
        "limit_bytes": shelf.limit_bytes,
    }
