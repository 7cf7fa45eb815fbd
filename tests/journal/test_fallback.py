"""A disk that fails and comes back: announcements go on from memory, ends are paid later."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from cosyedge.adapters.journal import FallbackJournal, MemoryJournal, SqliteJournal
from cosyedge.adapters.journal.writer import Writer
from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import Outgoing
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
    journal = FallbackJournal(lambda: disk, MemoryJournal(clock), clock)
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
    journal = FallbackJournal(lambda: disk, MemoryJournal(clock), clock, on_disk=heard.append)
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
    await journal.tell([])
    assert journal.faults()[0].cleared_at is not None
    await journal.close()


async def test_r9_what_was_said_while_the_disk_was_away_is_kept_once_it_is_back(
    path: Path, clock: SteadyClock
) -> None:
    disk = FailingJournal(path, clock)
    journal = FallbackJournal(lambda: disk, MemoryJournal(clock), clock)
    journal.fault_raised("broker", "tls")
    journal.set_setting("mute", "ON")
    await journal.tell([])
    disk.fill(True)
    await journal.tell([])
    clock.wall_s += 60
    journal.fault_raised("disk", "disk")
    journal.fault_cleared("broker")
    journal.fault_acknowledged("broker")
    journal.set_setting("volume", "0.4")
    journal.set_setting("mute", None)
    raised_at = clock.wall_s
    clock.wall_s += 60
    disk.fill(False)
    assert await journal.recover()
    await journal.tell([])
    assert [(fault.name, fault.code) for fault in journal.faults()] == [
        ("disk", "disk"),
        ("broker", "tls"),
    ]
    await journal.close()

    again = SqliteJournal(path, clock)
    kept, broker = again.faults()
    assert (kept.name, kept.code, kept.raised_at, kept.acked_at) == (
        "disk",
        "disk",
        raised_at,
        None,
    )
    assert broker.cleared_at == broker.acked_at == raised_at
    assert again.settings() == {"volume": "0.4"}
    await again.close()


class LateDisk:
    """A disk that cannot be opened at first."""

    def __init__(self, path: Path, clock: SteadyClock) -> None:
        self.path, self.clock, self.code = path, clock, "disk"

    def open(self) -> SqliteJournal:
        if self.code:
            raise StorageFailure(self.code, "not now")
        return SqliteJournal(self.path, self.clock)


async def test_a_disk_that_could_not_be_opened_is_opened_later_with_what_was_open_on_it(
    path: Path, clock: SteadyClock
) -> None:
    before = SqliteJournal(path, clock)
    for id in ("waits", "again"):
        await before.accept(entry(id), [event("accepted", id)])
    await before.close()
    late = LateDisk(path, clock)
    heard: list[str | None] = []
    journal = FallbackJournal(late.open, MemoryJournal(clock), clock, on_disk=heard.append)
    assert heard == ["disk"]
    assert not journal.open_entries()
    await journal.accept(entry("again"), [event("accepted", "again")])
    await journal.accept(entry("during"), [event("accepted", "during")])
    await journal.end("during", FINISHED, [event("finished", "during")])
    assert not await journal.recover()

    late.code = ""
    assert await journal.recover()
    assert heard == ["disk", None]
    assert [item[0].id for item in journal.found_late()] == ["waits"]
    assert not journal.found_late()
    await journal.end("again", FINISHED, [event("finished", "again")])
    await journal.end("waits", FINISHED, [event("finished", "waits")])
    told = [row.message for row in journal.undelivered(100)]
    for id in ("waits", "again", "during"):
        assert told.count(event("finished", id)) == 1
    await journal.close()
    again = SqliteJournal(path, clock)
    assert not again.open_entries()
    await again.close()


async def test_a_directory_of_another_daemon_is_no_reason_to_speak_from_memory(
    path: Path, clock: SteadyClock
) -> None:
    late = LateDisk(path, clock)
    late.code = "in_use"
    with pytest.raises(StorageFailure, match="not now"):
        FallbackJournal(late.open, MemoryJournal(clock), clock)


class SpoiltJournal(SqliteJournal):
    """A journal whose file lost a page: SQLite refuses to end what lay there."""

    async def end(self, id: str, outcome: Event, events: Sequence[Outgoing]) -> None:
        if id == "lost":
            raise StorageFailure("corrupt", "database disk image is malformed")
        await super().end(id, outcome, events)


async def test_an_end_that_a_damaged_file_refuses_holds_up_no_other(
    path: Path, clock: SteadyClock
) -> None:
    disk = SpoiltJournal(path, clock)
    journal = FallbackJournal(lambda: disk, MemoryJournal(clock), clock)
    await journal.accept(entry("lost"), [])
    await journal.end("lost", FINISHED, [event("finished", "lost")])
    assert journal.degraded
    await journal.accept(entry("next"), [])
    assert not journal.degraded
    assert disk.ended_within_a_day("next")
    assert [row.message for row in journal.undelivered(9)] == [event("finished", "lost")]
    with pytest.raises(ValueError, match="not open"):
        await journal.end("lost", FINISHED, [])
    await journal.close()
