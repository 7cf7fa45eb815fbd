"""A changed byte anywhere in the journal is found before it is used (R14)."""

import asyncio
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from cosyedge.adapters.journal import SqliteJournal
from cosyedge.adapters.journal.wal import LogState, state_of_log
from tests.journal.material import FINISHED, SteadyClock, entry, event


async def fill(journal: SqliteJournal, count: int) -> None:
    for number in range(count):
        await journal.accept(entry(str(number)), [event("accepted", str(number))])
        if number % 3:
            await journal.end(str(number), FINISHED, [event("finished", str(number))])
    journal.fault_raised("broker", "tls")
    journal.set_setting("volume", "0.5")
    await journal.tell([])


def flip(file: Path, place: int, bit: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 1 << bit
    file.write_bytes(content)


async def test_any_flipped_bit_of_a_closed_journal_is_found(tmp_path: Path) -> None:
    good = tmp_path / "good" / "journal.db"
    journal = SqliteJournal(good, SteadyClock())
    await fill(journal, 30)
    await journal.close()
    chance = random.Random(14)
    for _ in range(100):
        shutil.copytree(good.parent, tmp_path / "bad")
        bad = tmp_path / "bad" / "journal.db"
        flip(bad, chance.randrange(bad.stat().st_size), chance.randrange(8))
        reopened = SqliteJournal(bad, SteadyClock())
        assert reopened.damage is not None
        assert not reopened.open_entries()
        await reopened.accept(entry("new"), [])
        await reopened.close()
        assert bad.with_name("journal.db.damaged").exists()
        shutil.rmtree(bad.parent)


async def test_any_changed_row_is_found_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, SteadyClock())
    await fill(journal, 6)
    await journal.close()
    path.with_name("journal.db.sha256").unlink()
    whole = path.read_bytes()
    for needle in (b"cosyedge/hall/say", b"garage door", b"finished", b"0.5", b"tls", b"hall"):
        place = whole.rindex(needle)
        flip(path, place, 1)
        reopened = SqliteJournal(path, SteadyClock())
        assert reopened.damage is not None, needle
        reopened.close_now()
        path.write_bytes(whole)
        path.with_name("journal.db.sha256").unlink()


async def test_sealed_rows_do_not_outlive_a_change_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, SteadyClock())
    await fill(journal, 2)
    await journal.close()
    path.with_name("journal.db.sha256").unlink()
    link = sqlite3.connect(path)
    link.execute("UPDATE open_items SET state = 'playing'")
    link.commit()
    link.close()
    reopened = SqliteJournal(path, SteadyClock())
    assert reopened.damage is not None
    assert "checksum" in reopened.damage
    reopened.close_now()


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """A copy of a journal as a kill leaves it: rows in the log, no digest."""
    live = tmp_path / "live" / "journal.db"
    journal = SqliteJournal(live, SteadyClock())
    await fill(journal, 12)
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("journal.db", "journal.db-wal"):
        shutil.copy(live.with_name(name), copy / name)
    await journal.close()
    return copy / "journal.db"


async def test_log_of_a_killed_journal_is_sound(killed: Path) -> None:
    assert state_of_log(killed.with_name("journal.db-wal")) is LogState.SOUND
    journal = SqliteJournal(killed, SteadyClock())
    assert (journal.damage, journal.torn) == (None, False)
    assert len(journal.open_entries()) == 4
    journal.close_now()


async def test_any_flipped_bit_of_the_log_is_found(killed: Path) -> None:
    log = killed.with_name("journal.db-wal")
    whole = log.read_bytes()
    chance = random.Random(3)
    for _ in range(100):
        place = chance.randrange(len(whole))
        flip(log, place, chance.randrange(8))
        assert state_of_log(log) is not LogState.SOUND, place
        log.write_bytes(whole)


async def test_torn_last_commit_is_told_and_the_rest_is_used(killed: Path) -> None:
    log = killed.with_name("journal.db-wal")
    whole = bytearray(log.read_bytes())
    whole[-2000:] = bytes(2000)
    log.write_bytes(whole)
    journal = SqliteJournal(killed, SteadyClock())
    assert (journal.damage, journal.torn) == (None, True)
    assert len(journal.open_entries()) == 4
    assert not journal.settings()
    journal.close_now()


@pytest.mark.parametrize("content", [b"<html>not a database</html>" * 400, b"\0" * 5000, b"SQLite"])
async def test_a_file_that_is_no_database_is_moved_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    journal = SqliteJournal(path, SteadyClock())
    assert journal.damage is not None
    assert path.with_name("journal.db.damaged").read_bytes() == content
    await journal.accept(entry("a"), [])
    await journal.close()


async def test_a_zero_byte_file_is_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    journal = SqliteJournal(path, SteadyClock())
    assert journal.damage is None
    await journal.close()


def undecodable(path: Path) -> None:
    """A byte of a text that is no UTF-8 any more."""
    flip(path, path.read_bytes().rindex(b"cosyedge/hall/say"), 7)


def older_version(path: Path) -> None:
    """The version in the header, as if steps were still to be taken."""
    flip(path, 63, 0)


def newer_writer(path: Path) -> None:
    """A format that SQLite would only read: it looks like a read-only disk."""
    flip(path, 18, 2)


def other_words(path: Path) -> None:
    """A column that SQLite reads, under another name."""
    flip(path, path.read_bytes().index(b"received_at REAL"), 0)


def other_number(path: Path) -> None:
    """The outbox's last number, below the numbers that are in use."""
    link = sqlite3.connect(path)
    link.execute("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'outbox'")
    link.commit()
    link.close()


@pytest.mark.parametrize(
    "damage", [undecodable, older_version, newer_writer, other_words, other_number]
)
async def test_r14_damage_that_looks_like_something_else_is_found_after_a_kill(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, SteadyClock())
    await fill(journal, 6)
    await journal.close()
    path.with_name("journal.db.sha256").unlink()
    damage(path)
    reopened = SqliteJournal(path, SteadyClock())
    assert reopened.damage is not None
    assert path.with_name("journal.db.damaged").exists()
    await reopened.accept(entry("new"), [])
    await reopened.close()


async def test_an_empty_file_beside_a_log_has_lost_its_rows(killed: Path) -> None:
    killed.write_bytes(b"")
    journal = SqliteJournal(killed, SteadyClock())
    assert journal.damage is not None
    journal.close_now()


async def test_a_log_without_a_whole_header_has_lost_a_commit(killed: Path) -> None:
    log = killed.with_name("journal.db-wal")
    log.write_bytes(log.read_bytes()[:20])
    journal = SqliteJournal(killed, SteadyClock())
    assert journal.torn
    journal.close_now()


def spoil(path: Path, change: str) -> None:
    """Damage rows of a file that is in use; their seals stay."""
    link = sqlite3.connect(path)
    link.execute(change)
    link.commit()
    link.close()


#: A row whose bytes changed, and one whose text is no UTF-8 any more.
SPOILT_TOPICS = ["'other/topic'", "CAST(x'ff41' AS TEXT)"]


@pytest.mark.parametrize("topic", SPOILT_TOPICS)
async def test_a_row_of_the_outbox_damaged_in_use_holds_up_no_other(
    tmp_path: Path, topic: str
) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, SteadyClock())
    await journal.tell([event("accepted", str(number)) for number in range(5)])
    spoil(path, f"UPDATE outbox SET topic = {topic} WHERE seq IN (1, 3)")
    assert [row.seq for row in journal.undelivered(2)] == [2, 4]
    assert journal.spoiled
    await journal.tell([event("accepted", "later")])
    assert [row.seq for row in journal.undelivered(9)] == [2, 4, 5, 6]
    await journal.delivered([2, 4, 5, 6])
    assert not journal.undelivered(9)
    await journal.close()
    reopened = SqliteJournal(path, SteadyClock())
    assert reopened.damage is None
    assert not reopened.undelivered(9)
    reopened.close_now()


@pytest.mark.parametrize("topic", SPOILT_TOPICS)
async def test_an_open_row_damaged_in_use_still_ends_once(tmp_path: Path, topic: str) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, SteadyClock())
    await journal.accept(entry("a"), [])
    await journal.accept(entry("b"), [])
    spoil(path, f"UPDATE open_items SET topic = {topic} WHERE id = 'a'")
    await asyncio.gather(
        journal.note("a", "started", messages=[event("started", "a")]),
        journal.note("b", "started", messages=[event("started", "b")]),
    )
    assert journal.spoiled
    await journal.end("a", FINISHED, [event("finished", "a")])
    with pytest.raises(ValueError, match="not open"):
        await journal.end("a", FINISHED, [])
    assert len(journal.undelivered(9)) == 3
    await journal.close()
    reopened = SqliteJournal(path, SteadyClock())
    assert reopened.damage is None
    assert [item[0].id for item in reopened.open_entries()] == ["b"]
    assert reopened.ended_within_a_day("a")
    assert [row.outcome for row in reopened.history()] == ["finished"]
    reopened.close_now()


async def test_damage_in_use_gets_no_digest_at_a_clean_close(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path, SteadyClock())
    await journal.accept(entry("a"), [])
    spoil(path, "UPDATE open_items SET topic = 'other/topic'")
    await journal.close()
    reopened = SqliteJournal(path, SteadyClock())
    assert reopened.damage is not None
    await reopened.accept(entry("new"), [])
    await reopened.close()
