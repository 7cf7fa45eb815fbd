"""What the journal on disk adds: restarts, one owner, bounds, a disk that fails."""

import asyncio
import json
import os
import sqlite3
import time
from pathlib import Path

import pytest

from cosyedge.adapters.journal import JournalReader, SqliteJournal
from cosyedge.adapters.journal.database import JournalFile
from cosyedge.adapters.journal.recent_ids import RecentIds
from cosyedge.adapters.journal.schema import MIGRATIONS
from cosyedge.core.errors import StorageFailure
from tests.journal.material import FINISHED, TEXT, SteadyClock, entry, event, run_child


def everything_in(directory: Path) -> bytes:
    return b"".join(file.read_bytes() for file in directory.iterdir())


async def wait_until(condition, deadline_s: float = 30.0) -> None:
    async with asyncio.timeout(deadline_s):
        while not condition():
            await asyncio.sleep(0.02)


async def test_open_items_outbox_faults_and_settings_survive_a_restart(
    path: Path, clock: SteadyClock
) -> None:
    first = SqliteJournal(path, clock)
    await first.accept(entry("open"), [event("accepted", "open")])
    await first.note("open", "playing", 2)
    await first.accept(entry("done"), [])
    await first.end("done", FINISHED, [event("finished", "done")])
    first.fault_raised("output.hall", "device_missing")
    first.set_setting("volume", "0.5")
    await first.close()

    second = SqliteJournal(path, clock)
    assert second.damage is None
    assert list(second.open_entries()) == [(entry("open"), "playing", 2)]
    assert [row.message for row in second.undelivered(9)] == [
        event("accepted", "open"),
        event("finished", "done"),
    ]
    assert second.ended_within_a_day("done")
    assert second.ended_within_a_day("open")
    await second.tell([])
    (fault,) = second.faults()
    assert (fault.name, fault.acked_at) == ("output.hall", None)
    assert fault.cleared_at is not None
    assert second.settings() == {"volume": "0.5"}
    await second.close()


async def test_outbox_numbers_never_repeat_over_a_restart(path: Path, clock: SteadyClock) -> None:
    first = SqliteJournal(path, clock)
    await first.tell([event("accepted", "a")])
    (row,) = first.undelivered(9)
    await first.delivered([row.seq])
    await first.close()
    second = SqliteJournal(path, clock)
    await second.tell([event("accepted", "b")])
    assert second.undelivered(9)[0].seq > row.seq
    await second.close()


async def test_an_id_of_yesterday_is_forgotten_at_the_start(path: Path, clock: SteadyClock) -> None:
    first = SqliteJournal(path, clock)
    for id, age_s in (("old", 90_000.0), ("young", 80_000.0), ("future", -500.0)):
        await first.accept(entry(id, received_at=clock.wall() - age_s), [])
        await first.end(id, FINISHED, [])
    await first.close()
    second = SqliteJournal(path, clock)
    known = [id for id in ("old", "young", "future") if second.ended_within_a_day(id)]
    assert known == ["young", "future"]
    await second.close()


def test_arrivals_from_before_the_clock_was_set_count_as_now(clock: SteadyClock) -> None:
    ids = RecentIds(clock)
    ids.load([("unset", 120.0)])
    assert "unset" in ids


def test_the_oldest_of_too_many_ids_give_way(clock: SteadyClock) -> None:
    ids = RecentIds(clock)
    for number in range(50_010):
        ids.add(str(number))
    assert "9" not in ids
    assert "10" in ids


async def test_second_daemon_in_one_directory_refuses(path: Path, clock: SteadyClock) -> None:
    first = SqliteJournal(path, clock)
    with pytest.raises(StorageFailure) as caught:
        SqliteJournal(path, clock)
    assert caught.value.code == "in_use"
    await first.accept(entry("a"), [])
    await first.close()
    await SqliteJournal(path, clock).close()


async def test_files_are_for_their_owner_alone(path: Path, clock: SteadyClock) -> None:
    os.umask(0o022)
    journal = SqliteJournal(path, clock)
    await journal.accept(entry("a"), [])
    assert {oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()} == {"0o600"}
    await journal.close()
    assert {oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()} == {"0o600"}


async def test_text_is_gone_from_the_disk_a_moment_after_the_end(
    path: Path, clock: SteadyClock
) -> None:
    journal = SqliteJournal(path, clock)
    await journal.accept(entry("a"), [])
    await journal.accept(entry("long", payload=b"Fire in the hall. " * 800), [])
    assert TEXT in everything_in(path.parent)
    await journal.note("a", "playing", 1)
    await journal.end("a", FINISHED, [])
    await journal.end("long", FINISHED, [])
    await wait_until(lambda: TEXT not in everything_in(path.parent))
    assert b"Fire in the hall" not in everything_in(path.parent)
    await journal.close()


async def test_history_text_keeps_the_text(path: Path, clock: SteadyClock) -> None:
    journal = SqliteJournal(path, clock, history_text=True)
    await journal.accept(entry("a"), [])
    await journal.end("a", FINISHED, [])
    assert journal.history()[0].text == TEXT
    await journal.close()


async def test_an_idle_journal_writes_nothing(path: Path, clock: SteadyClock) -> None:
    journal = SqliteJournal(path, clock)
    await journal.accept(entry("a"), [])
    log = path.with_name("journal.db-wal")
    await wait_until(lambda: log.stat().st_size == 0)

    def written_at() -> list[float]:
        return [file.stat().st_mtime for file in sorted(path.parent.iterdir())]

    # The log is empty a moment before its index says so.
    await wait_until(lambda: max(written_at()) < time.time() - 0.3)
    before = written_at()
    await asyncio.sleep(1.5)
    assert written_at() == before
    await journal.close()


async def test_the_smallest_journal_works(path: Path, clock: SteadyClock) -> None:
    journal = SqliteJournal(path, clock, max_bytes=1 << 20)
    for start in range(0, 6_000, 60):
        ids = [str(number) for number in range(start, start + 60)]
        await asyncio.gather(*(journal.accept(entry(id), []) for id in ids))
        await asyncio.gather(*(journal.end(id, FINISHED, []) for id in ids))
    assert sum(file.stat().st_size for file in path.parent.iterdir()) <= 1 << 20
    assert journal.history()[0].id == "5999"
    await journal.close()


async def test_forty_thousand_undelivered_events_stay_within_the_bound(
    path: Path, clock: SteadyClock
) -> None:
    journal = SqliteJournal(path, clock, max_bytes=5 * 1024 * 1024)
    largest = 0
    for start in range(0, 20_000, 1000):
        ids = [str(number) for number in range(start, start + 1000)]
        await asyncio.gather(*(journal.accept(entry(id), [event("accepted", id)]) for id in ids))
        await asyncio.gather(*(journal.end(id, FINISHED, [event("finished", id)]) for id in ids))
        largest = max(largest, sum(file.stat().st_size for file in path.parent.iterdir()))
    assert largest <= 5 * 1024 * 1024
    assert journal.history()[0].id == "19999"
    assert journal.undelivered(1)
    await journal.close()


def test_full_disk_fails_by_name_and_loses_nothing_before(path: Path) -> None:
    done = run_child("fill", path, 600_000)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["code"] == "disk"
    assert not told["failed_id_known"]
    journal = SqliteJournal(path, SteadyClock())
    assert journal.damage is None
    assert [item[0].id for item in journal.open_entries()] == told["accepted"]
    journal.close_now()


def test_directory_that_cannot_be_written_fails_by_name(tmp_path: Path, clock: SteadyClock) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailure) as caught:
        SqliteJournal(tmp_path / "file" / "journal.db", clock)
    assert caught.value.code == "disk"


def test_older_file_is_brought_up_to_date(path: Path) -> None:
    old = JournalFile(path, 10_000_000, MIGRATIONS[:1])
    old.close()
    journal = SqliteJournal(path, SteadyClock())
    assert journal.damage is None
    assert not journal.faults()
    journal.close_now()


def test_failed_migration_leaves_the_old_version(path: Path) -> None:
    JournalFile(path, 10_000_000, MIGRATIONS[:1]).close()
    broken = (MIGRATIONS[0], "CREATE TABLE extra (a); CREATE TABLE extra (b);")
    with pytest.raises(StorageFailure):
        JournalFile(path, 10_000_000, broken)
    with sqlite3.connect(path) as link:
        tables = {name for (name,) in link.execute("SELECT name FROM sqlite_master")}
        assert link.execute("PRAGMA user_version").fetchone() == (1,)
    link.close()
    assert "extra" not in tables


def test_newer_file_is_moved_aside(path: Path, clock: SteadyClock) -> None:
    SqliteJournal(path, clock).close_now()
    link = sqlite3.connect(path)
    link.execute("PRAGMA user_version = 99")
    link.close()
    path.with_name("journal.db.sha256").unlink()
    journal = SqliteJournal(path, clock)
    assert journal.damage is not None
    assert "99" in journal.damage
    journal.close_now()


async def test_reader_sees_a_running_journal_and_acknowledges(
    path: Path, clock: SteadyClock
) -> None:
    journal = SqliteJournal(path, clock)
    await journal.accept(entry("a"), [])
    await journal.end("a", FINISHED, [])
    journal.fault_raised("broker", "tls")
    await journal.tell([])
    reader = JournalReader(path)
    assert [row.id for row in reader.history()] == ["a"]
    (fault,) = reader.faults()
    assert [seen.id for seen in reader.acknowledge(fault.id)] == [fault.id]
    assert not reader.acknowledge("broker")
    assert journal.faults()[0].acked_at is not None
    await journal.close()
    assert reader.faults()[0].acked_at is not None


async def test_acknowledging_in_a_closed_journal_does_not_damage_it(
    path: Path, clock: SteadyClock
) -> None:
    journal = SqliteJournal(path, clock)
    journal.fault_raised("broker", "tls")
    await journal.close()
    assert JournalReader(path).acknowledge()
    second = SqliteJournal(path, clock)
    assert second.damage is None
    await second.close()


def test_reader_without_a_journal_says_so(path: Path) -> None:
    with pytest.raises(StorageFailure, match="no journal"):
        JournalReader(path).history()


async def test_a_closed_journal_refuses(path: Path, clock: SteadyClock) -> None:
    journal = SqliteJournal(path, clock)
    await journal.close()
    await journal.close()
    with pytest.raises(StorageFailure, match="closed"):
        await journal.accept(entry("a"), [])
