"""The memory guard: when the box is short of memory, caches go first, then low classes."""

import asyncio
import logging

from cosyedge.core.announcement import CLASSES, Announcement
from cosyedge.service.ports import Memory, PhraseStore

log = logging.getLogger(__name__)

PERIOD_S = 2.0
#: Below this share of the box's memory (and this many bytes) it is short; twice is enough.
LOW_SHARE = 0.05
LOW_BYTES = 48 << 20


class MemoryGuard:
    """Watches what the system has left."""

    def __init__(self, memory: Memory, store: PhraseStore) -> None:
        self._memory = memory
        self._store = store
        self.short = False

    def overloaded(self, announcement: Announcement) -> bool:
        """Whether ``announcement`` is refused for want of memory: only below normal."""
        return self.short and announcement.priority < CLASSES["normal"]

    def look(self) -> None:
        """Take one reading and act on it."""
        reading = self._memory.read()
        low_bytes = min(LOW_BYTES, int(reading.total_bytes * LOW_SHARE))
        if not self.short and reading.available_bytes < low_bytes:
            self.short = True
            freed = self._store.shed()
            log.warning(
                "short of memory: %d bytes left, %d bytes of cache dropped",
                reading.available_bytes,
                freed,
                extra={"COSYEDGE_CODE": "overloaded"},
            )
        elif self.short and reading.available_bytes > 2 * low_bytes:
            self.short = False
            log.info("memory is enough again")

    async def run(self) -> None:
        """Look every two seconds until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(PERIOD_S)
