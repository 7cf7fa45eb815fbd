"""A journal that goes on from memory while the disk keeps nothing, and back by itself."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from cosyedge.adapters.journal.memory_journal import MemoryJournal
from cosyedge.adapters.journal.rows import EndedRow, Fault
from cosyedge.adapters.journal.sqlite_journal import SqliteJournal
from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import JournalEntry, OutboxRow, Outgoing

Answer = TypeVar("Answer")

# Outbox numbers above this are those of the memory.
MEMORY_SEQ = 1 << 62


class FallbackJournal:
    """Write to the disk, or to memory where that fails; ``degraded`` says which.

    Every call tries the disk first. What was accepted in memory ends there. An end that the
    disk did not take is told from memory and written later, before anything else.
    """

    def __init__(
        self,
        disk: SqliteJournal,
        memory: MemoryJournal,
        *,
        on_disk: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        """``on_disk`` hears the code of the disk's fault when it begins, None when it ends."""
        self._disk = disk
        self._memory = memory
        self._hear = on_disk
        self._in_memory: set[str] = set()
        self._owed_ends: dict[str, Event] = {}
        self._owed_deliveries: set[int] = set()
        self._paying = asyncio.Lock()
        self.degraded = False
        self.damage, self.torn = disk.damage, disk.torn

    @property
    def progressed_at(self) -> float:
        """The monotonic time of the last commit or check of the thread; for the watchdog."""
        return self._disk.progressed_at

    @property
    def waiting(self) -> int:
        """How many changes wait for the disk."""
        return self._disk.waiting

    def ended_within_a_day(self, id: str) -> bool:
        """Whether this id was accepted (open or ended) in the last 24 h."""
        return self._disk.ended_within_a_day(id) or self._memory.ended_within_a_day(id)

    async def accept(self, entry: JournalEntry, events: Sequence[Outgoing]) -> None:
        """Keep the row and its events. Raises ValueError where the id is open."""
        try:
            await self._on_disk(lambda: self._disk.accept(entry, events))
        except StorageFailure:
            await self._memory.accept(entry, events)
            self._in_memory.add(entry.id)

    async def note(
        self, id: str, state: str, part: int = 0, messages: Sequence[Outgoing] = ()
    ) -> None:
        """Keep a state and its events; without a disk only the events."""
        if id in self._in_memory:
            await self._memory.note(id, state, part, messages)
            return
        try:
            await self._on_disk(lambda: self._disk.note(id, state, part, messages))
        except StorageFailure:
            await self._memory.tell(messages)

    async def end(self, id: str, outcome: Event, events: Sequence[Outgoing]) -> None:
        """Keep the end and its events. Raises ValueError where the id is not open."""
        if id in self._in_memory:
            await self._memory.end(id, outcome, events)
            self._in_memory.discard(id)
            return
        if id in self._owed_ends:
            raise ValueError(f"{id!r} is not open")
        try:
            await self._on_disk(lambda: self._disk.end(id, outcome, events))
        except StorageFailure:
            self._owed_ends[id] = outcome
            await self._memory.tell(events)

    async def tell(self, events: Sequence[Outgoing]) -> None:
        """Queue events that belong to no row."""
        try:
            await self._on_disk(lambda: self._disk.tell(events))
        except StorageFailure:
            await self._memory.tell(events)

    def undelivered(self, limit: int) -> Sequence[OutboxRow]:
        """The oldest rows of the outbox, those of the disk first."""
        fetched: Sequence[OutboxRow] = self._read(
            lambda: self._disk.undelivered(limit + len(self._owed_deliveries)), []
        )
        rows = [row for row in fetched if row.seq not in self._owed_deliveries]
        rows += [
            OutboxRow(MEMORY_SEQ + row.seq, row.message) for row in self._memory.undelivered(limit)
        ]
        return rows[:limit]

    async def delivered(self, seqs: Iterable[int]) -> None:
        """Forget rows of the outbox; the disk may be told later."""
        gone = list(seqs)
        await self._memory.delivered(seq - MEMORY_SEQ for seq in gone if seq > MEMORY_SEQ)
        on_disk = {seq for seq in gone if seq < MEMORY_SEQ}
        if not on_disk:
            return
        try:
            await self._on_disk(lambda: self._disk.delivered(on_disk))
        except StorageFailure:
            self._owed_deliveries |= on_disk

    def open_entries(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """What was open when the file was opened, with its last state and part."""
        return self._disk.open_entries()

    def history(self, since: float = 0.0, limit: int = 100) -> Sequence[EndedRow]:
        """What ended since a wall-clock second, newest first."""
        rows = [*self._memory.history(since, limit)]
        rows += self._read(lambda: self._disk.history(since, limit), [])
        return sorted(rows, key=lambda row: row.ended_at, reverse=True)[:limit]

    def fault_raised(self, name: str, code: str) -> None:
        """Latch a fault; the same one again changes nothing."""
        self._fault_log().fault_raised(name, code)

    def fault_cleared(self, name: str) -> None:
        """Mark a part's fault as gone, wherever it is kept."""
        self._memory.fault_cleared(name)
        self._disk.fault_cleared(name)

    def fault_acknowledged(self, name: str | None) -> None:
        """Acknowledge a part's faults, or all."""
        self._memory.fault_acknowledged(name)
        self._disk.fault_acknowledged(name)

    def faults(self) -> Sequence[Fault]:
        """The faults, newest first."""
        kept = [*self._memory.faults()]
        kept += self._read(self._disk.faults, [])
        return sorted(kept, key=lambda fault: fault.raised_at, reverse=True)

    def set_setting(self, key: str, value: str | None) -> None:
        """Keep a setting, over a restart where the disk takes it."""
        self._memory.set_setting(key, value)
        self._disk.set_setting(key, value)

    def settings(self) -> Mapping[str, str]:
        """All settings that were kept."""
        return {**self._read(self._disk.settings, {}), **self._memory.settings()}

    async def recover(self) -> bool:
        """Pay the disk what it is owed; returns whether it takes rows. Quiet while it does."""
        if not (self.degraded or self._owed_ends or self._owed_deliveries):
            return True
        try:
            await self._on_disk(self._disk.probe)
        except StorageFailure:
            return False
        return True

    async def close(self) -> None:
        """Commit what waits and leave a clean file."""
        await self.recover()
        await self._disk.close()

    async def _on_disk(self, change: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            if self._owed_ends or self._owed_deliveries:
                await self._pay()
            answer = await change()
        except StorageFailure as failure:
            self._say(failure.code)
            raise
        self._say(None)
        return answer

    def _say(self, code: str | None) -> None:
        if self.degraded != (code is not None):
            self.degraded = code is not None
            self._hear(code)

    async def _pay(self) -> None:
        async with self._paying:
            while self._owed_ends:
                id, outcome = next(iter(self._owed_ends.items()))
                await self._disk.end(id, outcome, [])
                del self._owed_ends[id]
            paid = set(self._owed_deliveries)
            await self._disk.delivered(paid)
            self._owed_deliveries -= paid

    def _fault_log(self) -> SqliteJournal | MemoryJournal:
        return self._memory if self.degraded else self._disk

    def _read(self, question: Callable[[], Answer], otherwise: Answer) -> Answer:
        try:
            return question()
        except StorageFailure as failure:
            self._say(failure.code)
            return otherwise
