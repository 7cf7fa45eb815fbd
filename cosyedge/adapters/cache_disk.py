"""The disk tier of the phrase cache: what to write, evict, trust and give up.

Slow, full, read-only, damaged or absent, the disk costs this tier and nothing else: no call
raises for it, and ``fault`` says so until a write succeeds again, a phrase's or a probe's.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cosyedge.adapters.cache_entry import StoredPhrase, pack, unpack
from cosyedge.adapters.cache_folder import PhraseFolder
from cosyedge.adapters.disk_thread import DiskThread
from cosyedge.core.errors import OutputFailure, StorageFailure
from cosyedge.core.phrase_cache import Shelf

# An entry's time of use is written at most once a day, and then with others: SD cards wear.
_FRESH_S: Final = 86_400.0
_FLUSH_AT: Final = 64


@dataclass(frozen=True, slots=True)
class DiskLimits:
    """Bounds of the tier.

    ``reserve_bytes`` of the disk are left to others (the journal); ``deadline_s`` bounds one
    operation; after a fault the disk is tried again every ``retry_s``.
    """

    limit_bytes: int = 256 * 2**20
    reserve_bytes: int = 16 * 2**20
    deadline_s: float = 5.0
    retry_s: float = 30.0


class DiskTier:
    """Phrases in one folder. Use ``open`` before and ``close`` after."""

    def __init__(
        self,
        path: Path,
        limits: DiskLimits,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Touch nothing yet."""
        self.shelf = Shelf(limits.limit_bytes)
        self.fault: str | None = None
        self.damaged = 0
        self.evicted = 0
        self._folder = PhraseFolder(path, reserve_bytes=limits.reserve_bytes)
        self._thread = DiskThread("phrase-cache", limits.deadline_s)
        self._retry_s = limits.retry_s
        self._retry_at = 0.0
        self._monotonic = monotonic
        self._wall = wall
        self._used_at: dict[str, float] = {}
        self._stale: set[str] = set()

    @property
    def foreign(self) -> int:
        """How many files in the folder are none of ours."""
        return self._folder.foreign

    async def open(self) -> None:
        """Index the folder by its listing; nothing is decoded.

        Raises StorageFailure("in_use") where another daemon has it.
        """
        try:
            await self._open()
        except StorageFailure as error:
            if error.code == "in_use":
                raise
            self._note_fault()

    async def close(self) -> None:
        """Write the times of use down and give the folder back."""
        if self._folder.is_open:
            try:
                await self._flush()
                await self._thread.run(self._folder.close)
            except StorageFailure:
                self._note_fault()
        self._thread.close()

    async def recover(self) -> bool:
        """Try a disk at fault again where it is time to; whether it was and has come back."""
        if self.fault is None or not self._is_due():
            return False
        try:
            await self._is_usable()
            await self._thread.run(self._folder.probe)
        except StorageFailure:
            self._note_fault()
            return False
        self.fault = None
        return True

    async def load(self, key: str) -> StoredPhrase | None:
        """Read and check an entry; a damaged one is removed, counted, and not there."""
        if key not in self.shelf:
            return None
        try:
            phrase = await self._thread.run(_read_entry, self._folder, key)
        except StorageFailure as error:
            if error.code != "corrupt":
                self._note_fault()
                return None
            self.damaged += 1
            await self.remove([key])
            return None
        if phrase is None:
            self._drop([key])
        return phrase

    async def save(self, key: str, phrase: StoredPhrase, *, pinned: bool) -> bool:
        """Write an entry and remove what had to go for it; False where it does not last."""
        try:
            if not await self._is_usable():
                return False
            data = await self._thread.run(pack, key, phrase)
            return await self._place(key, data, pinned=pinned)
        except (StorageFailure, OutputFailure):
            self._note_fault()
            return False

    async def pin(self, key: str, *, pinned: bool) -> bool:
        """Pin or unpin an entry; False where it is not here or has no room among the pinned."""
        if not self.shelf.pin(key, pinned=pinned):
            return False
        try:
            await self._thread.run(self._folder.pin, key, pinned=pinned)
        except StorageFailure:
            self._note_fault()
            return False
        return True

    async def remove(self, keys: Iterable[str]) -> None:
        """Remove entries."""
        gone = [key for key in keys if key in self.shelf]
        self._drop(gone)
        try:
            if gone:
                await self._thread.run(self._folder.remove, gone)
        except StorageFailure:
            self._note_fault()

    def touch(self, key: str) -> None:
        """Mark an entry as just used; a key that is not here does not matter."""
        if key not in self.shelf:
            return
        self.shelf.touch(key)
        now = self._wall()
        if abs(now - self._used_at[key]) > _FRESH_S:
            self._used_at[key] = now
            self._stale.add(key)

    async def _open(self) -> None:
        too_many = []
        for blob in await self._thread.run(self._folder.open):
            self._used_at[blob.key] = blob.used_at
            too_many += self.shelf.add(blob.key, blob.size_bytes, pinned=blob.pinned)
        self._drop(too_many)
        self.fault = None
        if too_many:
            await self._thread.run(self._folder.remove, too_many)

    async def _place(self, key: str, data: bytes, *, pinned: bool) -> bool:
        evicted = self.shelf.add(key, len(data), pinned=pinned)
        self._drop(evicted)
        self._used_at[key] = self._wall()
        try:
            # The shelf is right before the disk is: a cancellation here leaves no stray file.
            if evicted:
                await self._thread.run(self._folder.remove, evicted)
            if key not in self.shelf:
                return False
            pinned = self.shelf.is_pinned(key)
            await self._thread.run(self._folder.write, key, data, pinned=pinned)
        except StorageFailure:
            self._drop([key])
            raise
        self.fault = None
        self.evicted += len(evicted)
        if len(self._stale) >= _FLUSH_AT:
            await self._flush()
        return True

    async def _is_usable(self) -> bool:
        if self.fault is not None and not self._is_due():
            return False
        if not self._folder.is_open:
            await self._open()
        return True

    def _is_due(self) -> bool:
        return self._monotonic() >= self._retry_at

    async def _flush(self) -> None:
        stale, self._stale = self._stale, set()
        await self._thread.run(self._folder.touch, stale)

    def _drop(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.shelf.remove(key)
            self._used_at.pop(key, None)
            self._stale.discard(key)

    def _note_fault(self) -> None:
        self.fault = "disk"
        self._retry_at = self._monotonic() + self._retry_s


def _read_entry(folder: PhraseFolder, key: str) -> StoredPhrase | None:
    data = folder.read(key)
    return None if data is None else unpack(key, data)
