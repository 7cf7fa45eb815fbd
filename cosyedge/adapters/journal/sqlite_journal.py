"""The journal on disk: SQLite in one thread, every await a commit."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from cosyedge.adapters.journal import faults, tables
from cosyedge.adapters.journal.connection import connect, translate
from cosyedge.adapters.journal.database import JournalFile, max_pages
from cosyedge.adapters.journal.outbox_mirror import OutboxMirror
from cosyedge.adapters.journal.recent_ids import MAX_IDS, RecentIds
from cosyedge.adapters.journal.rows import EndedRow, Fault
from cosyedge.adapters.journal.writer import Writer
from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import Clock, JournalEntry, OutboxRow, Outgoing

Answer = TypeVar("Answer")

PROBE = "disk_probe"
MAX_BYTES = 10 * 1024 * 1024


class SqliteJournal:
    """Satisfy :class:`cosyedge.service.ports.Journal` with a file.

    Opening blocks for up to a second and raises StorageFailure (``in_use``, ``disk``).
    ``damage`` says what was wrong with an older file that was moved aside; ``torn`` that the
    last commit before a crash could not be read; ``spoiled`` that a row was damaged in the file
    since it was opened: it is passed over.
    """

    writer_type: ClassVar[type[Writer]] = Writer

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        max_bytes: int = MAX_BYTES,
        history_text: bool = False,
    ) -> None:
        self._clock = clock
        self._keep_text = history_text
        self._prune_above_pages = max_pages(max_bytes) * 7 // 8
        self._file = JournalFile(path, max_bytes)
        self.damage, self.torn = self._file.damage, self._file.torn
        self.spoiled = False
        self._ids = RecentIds(clock)
        try:
            self._reader = connect(path, read_only=True)
            self._numbers = tables.outbox_numbers(self._reader)
            self._ids.load(tables.read_ids(self._reader, MAX_IDS))
            self._open_at_start = tables.read_open(self._reader)
        except sqlite3.Error as error:
            self._file.close()
            raise translate(error) from error
        except StorageFailure:
            self._file.close()
            raise
        self._mirror = OutboxMirror(self._read_outbox)
        self._writer = self.writer_type(self._file.connection, self._tend)
        if any(fault.cleared_at is None for fault in self.faults()):
            self._writer.post(lambda link: faults.clear_faults(link, None, clock.wall()))

    @property
    def progressed_at(self) -> float:
        """The monotonic time of the last commit or check of the thread; for the watchdog."""
        return self._writer.progressed_at

    @property
    def waiting(self) -> int:
        """How many changes wait for the disk."""
        return self._writer.waiting

    def ended_within_a_day(self, id: str) -> bool:
        """Whether this id was accepted (open or ended) in the last 24 h."""
        return id in self._ids

    async def accept(self, entry: JournalEntry, events: Sequence[Outgoing]) -> None:
        """Commit the row and its events. Raises ValueError where the id is open."""

        def change(connection: sqlite3.Connection) -> list[OutboxRow]:
            tables.add_item(connection, entry)
            return self._put_out(connection, events)

        known = entry.id in self._ids
        self._ids.add(entry.id)
        try:
            self._mirror.written(await self._writer.write(change))
        except StorageFailure:
            if not known:
                self._ids.forget(entry.id)
            raise

    async def note(
        self, id: str, state: str, part: int = 0, messages: Sequence[Outgoing] = ()
    ) -> None:
        """Commit a state of an open item and its events."""

        def change(connection: sqlite3.Connection) -> list[OutboxRow]:
            self.spoiled |= not tables.mark_item(connection, id, state, part)
            return self._put_out(connection, messages)

        self._mirror.written(await self._writer.write(change))

    async def end(self, id: str, outcome: Event, events: Sequence[Outgoing]) -> None:
        """Commit the terminal row and its events. Raises ValueError where the id is not open."""

        def change(connection: sqlite3.Connection) -> list[OutboxRow]:
            sound = tables.end_item(connection, id, outcome, self._clock.wall(), self._keep_text)
            self.spoiled |= not sound
            return self._put_out(connection, events)

        self._mirror.written(await self._writer.write(change))

    async def tell(self, events: Sequence[Outgoing]) -> None:
        """Queue events that belong to no row."""
        rows = await self._writer.write(lambda connection: self._put_out(connection, events))
        self._mirror.written(rows)

    def undelivered(self, limit: int) -> Sequence[OutboxRow]:
        """The oldest rows of the outbox."""
        return self._mirror.oldest(limit)

    async def delivered(self, seqs: Iterable[int]) -> None:
        """Forget rows of the outbox."""
        gone = tuple(seqs)
        self._mirror.taken_out(gone)
        await self._writer.write(lambda connection: tables.take_out(connection, gone))

    def open_entries(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """What was open when the file was opened, with its last state and part."""
        return self._open_at_start

    def history(self, since: float = 0.0, limit: int = 100) -> Sequence[EndedRow]:
        """What ended since a wall-clock second, newest first."""
        return self._read(lambda link: tables.read_ended(link, since, limit))

    def fault_raised(self, name: str, code: str, at: float | None = None) -> None:
        """Latch a fault; the same one again changes nothing. ``at``: wall-clock s, else now."""
        when = self._clock.wall() if at is None else at
        self._writer.post(lambda connection: faults.raise_fault(connection, name, code, when))

    def fault_cleared(self, name: str, at: float | None = None) -> None:
        """Mark a part's fault as gone."""
        when = self._clock.wall() if at is None else at
        self._writer.post(lambda connection: faults.clear_faults(connection, name, when))

    def fault_acknowledged(self, name: str | None, at: float | None = None) -> None:
        """Acknowledge a part's faults, or all."""
        when = self._clock.wall() if at is None else at
        self._writer.post(lambda connection: faults.acknowledge(connection, name, when))

    def faults(self) -> Sequence[Fault]:
        """The last 99 faults, newest first; those of an earlier run are cleared."""
        return self._read(faults.read_faults)

    def set_setting(self, key: str, value: str | None) -> None:
        """Keep a setting over a restart; None forgets it."""
        self._writer.post(lambda connection: tables.keep_setting(connection, key, value))

    def settings(self) -> Mapping[str, str]:
        """All settings that were kept."""
        return self._read(tables.read_settings)

    async def probe(self) -> None:
        """Write a row and take it away. Raises StorageFailure where the disk keeps nothing."""
        await self._writer.write(lambda link: tables.keep_setting(link, PROBE, "1"))
        await self._writer.write(lambda link: tables.keep_setting(link, PROBE, None))

    async def close(self) -> None:
        """Commit what waits and leave a clean file."""
        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        """The same, blocking; a second call does nothing."""
        if self._writer.stop():
            self._reader.close()
            self._file.close()

    def _put_out(
        self, connection: sqlite3.Connection, events: Sequence[Outgoing]
    ) -> list[OutboxRow]:
        return tables.put_out(connection, self._numbers, events, self._clock.wall())

    def _read_outbox(self, limit: int) -> list[OutboxRow]:
        """The oldest rows on disk; damaged ones are dropped, and keep no other from leaving."""
        try:
            return self._read(lambda link: tables.read_outbox(link, limit))
        except StorageFailure:
            sound, damaged = self._read(lambda link: tables.sift_outbox(link, limit))
        if damaged:
            self.spoiled = True
            self._writer.post(lambda link: tables.take_out(link, damaged))
        return sound

    def _tend(self, connection: sqlite3.Connection) -> None:
        tables.prune(connection, self._prune_above_pages)

    def _read(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        try:
            return question(self._reader)
        except sqlite3.Error as error:
            raise translate(error) from error
