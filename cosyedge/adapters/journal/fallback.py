"""A journal that goes on from memory while the disk keeps nothing, and back by itself."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from cosyedge.adapters.journal.absent_disk import AbsentDisk
from cosyedge.adapters.journal.memory_journal import MemoryJournal
from cosyedge.adapters.journal.rows import EndedRow, Fault
from cosyedge.adapters.journal.sqlite_journal import SqliteJournal
from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event, EventType
from cosyedge.service.ports import Clock, JournalEntry, OutboxRow, Outgoing

Answer = TypeVar("Answer")
Disk: TypeAlias = SqliteJournal | AbsentDisk

# Outbox numbers above this are those of the memory.
MEMORY_SEQ = 1 << 62
# Words about faults that a disk may still be owed; the oldest give way.
MOST_WORDS = 500


class FallbackJournal:
    """Write to the disk, or to memory where that fails; ``degraded`` says which.

    Every call tries the disk first. What was accepted in memory ends there. An end that the
    disk did not take is told from memory and written later, before anything else. A disk that
    could not even be opened is opened later.
    """

    def __init__(
        self,
        open_disk: Callable[[], SqliteJournal],
        memory: MemoryJournal,
        clock: Clock,
        *,
        on_disk: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        """Open the disk; blocks as that does. Raises StorageFailure("in_use").

        ``on_disk`` hears the code of the disk's fault when it begins, None when it ends.
        """
        self._open_disk = open_disk
        self._memory = memory
        self._clock = clock
        self._hear = on_disk
        self._in_memory: set[str] = set()
        self._late: list[tuple[JournalEntry, str, int]] = []
        self._owed_ends: dict[str, Event] = {}
        self._lost: set[str] = set()
        self._owed_deliveries: set[int] = set()
        self._owed_words: deque[Callable[[Disk], None]] = deque(maxlen=MOST_WORDS)
        self._paying = asyncio.Lock()
        self.degraded = False
        try:
            self._disk: Disk = open_disk()
        except StorageFailure as failure:
            if failure.code == "in_use":
                raise
            self._disk = AbsentDisk(failure, clock)
            self._say(failure.code)

    @property
    def damage(self) -> str | None:
        """What was wrong with an older file that was moved aside."""
        return self._disk.damage

    @property
    def torn(self) -> bool:
        """Whether the last commit before a crash could not be read."""
        return self._disk.torn

    @property
    def spoiled(self) -> bool:
        """Whether a row was damaged in the file since it was opened."""
        return self._disk.spoiled

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
        if id in self._owed_ends or id in self._lost:
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
        if self.degraded:
            self._memory.fault_raised(name, code)
        now = self._clock.wall()
        self._word(lambda disk: disk.fault_raised(name, code, now))

    def fault_cleared(self, name: str) -> None:
        """Mark a part's fault as gone, wherever it is kept."""
        self._memory.fault_cleared(name)
        now = self._clock.wall()
        self._word(lambda disk: disk.fault_cleared(name, now))

    def fault_acknowledged(self, name: str | None) -> None:
        """Acknowledge a part's faults, or all."""
        self._memory.fault_acknowledged(name)
        now = self._clock.wall()
        self._word(lambda disk: disk.fault_acknowledged(name, now))

    def faults(self) -> Sequence[Fault]:
        """The faults, newest first."""
        kept = [*self._memory.faults()]
        kept += self._read(self._disk.faults, [])
        return sorted(kept, key=lambda fault: fault.raised_at, reverse=True)

    def set_setting(self, key: str, value: str | None) -> None:
        """Keep a setting, over a restart where the disk takes it."""
        self._memory.set_setting(key, value)
        self._word(lambda disk: disk.set_setting(key, value))

    def settings(self) -> Mapping[str, str]:
        """All settings that were kept."""
        return {**self._read(self._disk.settings, {}), **self._memory.settings()}

    async def recover(self) -> bool:
        """Pay the disk what it is owed; returns whether it takes rows. Quiet while it does."""
        if not (self.degraded or self._owed_ends or self._owed_deliveries):
            return True
        try:
            if isinstance(self._disk, AbsentDisk):
                self._take(await asyncio.to_thread(self._open_disk))
            await self._on_disk(lambda: self._disk.probe())
        except StorageFailure as failure:
            self._say(failure.code)
            return False
        return True

    def found_late(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """What was open on a disk that was opened after the start; each is given once."""
        found, self._late = self._late, []
        return found

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
        if self.degraded == (code is not None):
            return
        self.degraded = code is not None
        if code is None:
            self._hand_over()
        self._hear(code)

    def _word(self, word: Callable[[Disk], None]) -> None:
        """Say it to the disk, now or when it is back."""
        if self.degraded:
            self._owed_words.append(word)
        else:
            word(self._disk)

    def _hand_over(self) -> None:
        """Give the disk what was said while it was away; memory keeps no fault of it."""
        for key, value in self._memory.settings().items():
            self._disk.set_setting(key, value)
        while self._owed_words:
            self._owed_words.popleft()(self._disk)
        self._memory.forget_faults()

    def _take(self, disk: SqliteJournal) -> None:
        """Use a disk that was opened late; an id that came again meanwhile has its end here."""
        self._disk = disk
        for item in disk.open_entries():
            id = item[0].id
            if self._memory.ended_within_a_day(id):
                self._owed_ends[id] = Event(EventType.FAILED, id, "interrupted")
            else:
                self._late.append(item)

    async def _pay(self) -> None:
        async with self._paying:
            while self._owed_ends:
                id, outcome = next(iter(self._owed_ends.items()))
                await self._end_late(id, outcome)
                del self._owed_ends[id]
            paid = set(self._owed_deliveries)
            await self._disk.delivered(paid)
            self._owed_deliveries -= paid

    async def _end_late(self, id: str, outcome: Event) -> None:
        """End it on disk; a row that is lost there must not hold up all others."""
        try:
            await self._disk.end(id, outcome, [])
        except ValueError:
            self._lost.add(id)
        except StorageFailure as failure:
            if failure.code != "corrupt":
                raise
            self._lost.add(id)

    def _read(self, question: Callable[[], Answer], otherwise: Answer) -> Answer:
        try:
            return question()
        except StorageFailure as failure:
            self._say(failure.code)
            return otherwise
