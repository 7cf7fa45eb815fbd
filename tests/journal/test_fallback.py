"""A disk that fails and comes back: announcements go on from memory, ends are paid later."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from cosyedge.adapters.journal import FallbackJournal, MemoryJournal, SqliteJournal
from cosyedge.adapters.journal.writer import Writer
from tests.journal.material import FINISHED, SteadyClock, entry, event


class FailingWriter(Writer):
    """A writer whose commits fail like a full disk while ``full`` is set."""

    full = False

    def _finish(self) -> None:
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        super()._finish()


class FailingJournal(SqliteJournal):
    """A journal on a disk that the test fills."""

    writer_type = FailingWriter

    def fill(self, full: bool) -> None:
        self._writer.full = full


async def test_full_disk_goes_on_from_memory_and_back_by_itself(
    path: Path, clock: SteadyClock
) -> None:
    disk = FailingJournal(path, clock)
    journal = FallbackJournal(disk, MemoryJournal(clock))
    await journal.accept(entry("before"), [event("accepted", "before")])
    assert not journal.degraded

    await journal.tell([event("rejected", "told")])
    disk.fill(True)
    told = [row for row in journal.undelivered(9) if row.message == event("rejected", "told")]
    await journal.delivered(row.seq for row in told)
    await journal.accept(entry("during"), [event("accepted", "during")])
    assert journal.degraded
    assert journal.ended_within_a_day("during")
    await journal.note("before", "started")
    await journal.note("during", "started")
    await journal.end("before", FINISHED, [event("finished", "before")])
    await journal.end("during", FINISHED, [event("finished", "during")])
    with pytest.raises(ValueError, match="not open"):
        await journal.end("before", FINISHED, [])
    assert not await journal.recover()

    disk.fill(False)
    await asyncio.gather(*(journal.tell([event("started", str(n))]) for n in range(5)))
    assert not journal.degraded
    told = [row.message for row in journal.undelivered(100)]
    assert sorted(told, key=str) == sorted(
        [
            event("accepted", "before"),
            event("accepted", "during"),
            event("finished", "before"),
            event("finished", "during"),
            *(event("started", str(n)) for n in range(5)),
        ],
        key=str,
    )
    await journal.delivered(row.seq for row in journal.undelivered(100))
    assert not journal.undelivered(100)
    await journal.close()

    again = SqliteJournal(path, clock)
    assert not again.open_entries()
    assert [row.id for row in again.history()] == ["before"]
    await again.close()


async def test_probe_finds_the_disk_again_without_traffic(path: Path, clock: SteadyClock) -> None:
    disk = FailingJournal(path, clock)
    heard: list[str | None] = []
    journal = FallbackJournal(disk, MemoryJournal(clock), on_disk=heard.append)
    disk.fill(True)
    journal.set_setting("volume", "0.4")
    await journal.tell([])
    journal.fault_raised("journal", "disk")
    assert [(fault.name, fault.cleared_at) for fault in journal.faults()] == [("journal", None)]
    disk.fill(False)
    assert await journal.recover()
    assert heard == ["disk", None]
    assert journal.settings() == {"volume": "0.4"}
    journal.fault_cleared("journal")
    assert journal.faults()[0].cleared_at is not None
    await journal.close()
