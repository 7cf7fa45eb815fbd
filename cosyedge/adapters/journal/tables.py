"""Each change of the journal's tables, as a function of an open transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

from cosyedge.adapters.journal.connection import is_of_one_row
from cosyedge.adapters.journal.rows import (
    EndedRow,
    Row,
    from_end,
    from_entry,
    from_outgoing,
    seal,
    to_end,
    to_entry,
    to_outgoing,
    unseal,
)
from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import JournalEntry, OutboxRow, Outgoing

PRUNED_AT_ONCE = 500
KEPT_ENDS = 2_000


def insert(connection: sqlite3.Connection, table: str, row: Row) -> None:
    """Insert a whole row, or take the place of the one with its key."""
    marks = ",".join("?" * len(row))
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)  # noqa: S608


def outbox_numbers(connection: sqlite3.Connection) -> Iterator[int]:
    """The sequence numbers of the outbox, never one twice."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").fetchone()
    return count(row[0] + 1 if row else 1)


def put_out(
    connection: sqlite3.Connection, numbers: Iterator[int], events: Sequence[Outgoing], now: float
) -> list[OutboxRow]:
    """Queue outgoing messages in their order; returns their rows."""
    rows = [OutboxRow(next(numbers), message) for message in events]
    for row in rows:
        insert(connection, "outbox", from_outgoing(row.seq, row.message, now))
    return rows


def open_item(connection: sqlite3.Connection, id: str) -> tuple[JournalEntry, str, int]:
    """The open item of this id.

    Raises ValueError where there is none, StorageFailure (``corrupt``) where it was damaged.
    """
    try:
        row = connection.execute("SELECT * FROM open_items WHERE id = ?", (id,)).fetchone()
    except sqlite3.Error as error:
        if is_of_one_row(error):
            raise StorageFailure("corrupt", f"a row of the journal: {error}") from error
        raise
    if row is None:
        raise ValueError(f"{id!r} is not open")
    return to_entry(row)


def add_item(connection: sqlite3.Connection, entry: JournalEntry) -> None:
    """Add an accepted item. Raises ValueError where its id is open."""
    known = connection.execute("SELECT 1 FROM open_items WHERE id = ?", (entry.id,)).fetchone()
    if known:
        raise ValueError(f"{entry.id!r} is open already")
    insert(connection, "open_items", from_entry(entry, "accepted", 0))


def mark_item(connection: sqlite3.Connection, id: str, state: str, part: int) -> bool:
    """Give an open item its new state; returns False where its row was damaged meanwhile."""
    try:
        entry, _, _ = open_item(connection, id)
    except StorageFailure:
        return False
    insert(connection, "open_items", from_entry(entry, state, part))
    return True


def end_item(
    connection: sqlite3.Connection, id: str, outcome: Event, ended_at: float, keep_text: bool
) -> bool:
    """Move an open item to the history; its text goes unless it is to be kept.

    Where its row was damaged meanwhile the history knows of its end alone, and this is False.
    """
    sound = True
    try:
        entry, _, _ = open_item(connection, id)
    except StorageFailure:
        sound = False
        entry = JournalEntry(id, "", b"", ended_at, ended_at, 0, tuple(outcome.zones))
    row = from_end(entry, outcome, ended_at, entry.payload if keep_text else None)
    connection.execute("DELETE FROM open_items WHERE id = ?", (id,))
    insert(connection, "ended", row)
    return sound


def take_out(connection: sqlite3.Connection, seqs: Iterable[int]) -> None:
    """Forget outgoing messages."""
    connection.executemany("DELETE FROM outbox WHERE seq = ?", ((seq,) for seq in seqs))


def prune(connection: sqlite3.Connection, max_pages: int) -> None:
    """Where the file is nearly full, drop the oldest of the history, then of the outbox.

    The last 2,000 ends stay, so that a restart knows their ids.
    """
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    if pages <= max_pages:
        return
    if pages - connection.execute("PRAGMA freelist_count").fetchone()[0] <= max_pages:
        return
    ends = connection.execute("SELECT count(*) FROM ended").fetchone()[0]
    table = "ended" if ends >= KEPT_ENDS + PRUNED_AT_ONCE else "outbox"
    connection.execute(
        f"DELETE FROM {table} WHERE rowid IN"  # noqa: S608 - two names of ours
        f" (SELECT rowid FROM {table} ORDER BY rowid LIMIT {PRUNED_AT_ONCE})"
    )


def read_open(connection: sqlite3.Connection) -> list[tuple[JournalEntry, str, int]]:
    """The open items in the order of their arrival."""
    rows = connection.execute("SELECT * FROM open_items ORDER BY received_at, rowid")
    return [to_entry(row) for row in rows]


def read_outbox(connection: sqlite3.Connection, limit: int) -> list[OutboxRow]:
    """The oldest outgoing messages."""
    rows = connection.execute("SELECT * FROM outbox ORDER BY seq LIMIT ?", (limit,))
    return [to_outgoing(row) for row in rows]


def sift_outbox(connection: sqlite3.Connection, limit: int) -> tuple[list[OutboxRow], list[int]]:
    """The oldest outgoing messages that can be read, and the numbers of damaged ones."""
    sound: list[OutboxRow] = []
    damaged: list[int] = []
    for (seq,) in connection.execute("SELECT seq FROM outbox ORDER BY seq"):
        row = None
        with suppress(StorageFailure):
            row = _outgoing(connection, seq)
        if row is None:
            damaged.append(seq)
        else:
            sound.append(row)
        if len(sound) == limit:
            break
    return sound, damaged


def _outgoing(connection: sqlite3.Connection, seq: int) -> OutboxRow | None:
    """An outgoing message; None where it cannot be decoded."""
    try:
        row = connection.execute("SELECT * FROM outbox WHERE seq = ?", (seq,)).fetchone()
    except sqlite3.Error as error:
        if is_of_one_row(error):
            return None
        raise
    return to_outgoing(row) if row else None


def read_ended(connection: sqlite3.Connection, since: float, limit: int) -> list[EndedRow]:
    """The history since a wall-clock second, newest first."""
    rows = connection.execute(
        "SELECT * FROM ended WHERE ended_at >= ? ORDER BY rowid DESC LIMIT ?", (since, limit)
    )
    return [to_end(row) for row in rows]


def read_ids(connection: sqlite3.Connection, limit: int) -> list[tuple[str, float]]:
    """The ids of open and ended items with when they came, oldest first."""
    rows: list[tuple[str, float]] = connection.execute(
        "SELECT id, received_at FROM (SELECT rowid AS n, id, received_at FROM ended"
        " ORDER BY rowid DESC LIMIT ?) ORDER BY n",
        (limit,),
    ).fetchall()
    rows += connection.execute("SELECT id, received_at FROM open_items ORDER BY received_at")
    return rows


def keep_setting(connection: sqlite3.Connection, key: str, value: str | None) -> None:
    """Keep a setting's value; None forgets it."""
    if value is None:
        connection.execute("DELETE FROM settings WHERE key = ?", (key,))
    else:
        insert(connection, "settings", seal((key, value)))


def read_settings(connection: sqlite3.Connection) -> dict[str, str]:
    """All settings that were kept."""
    rows: list[Any] = [unseal(row) for row in connection.execute("SELECT * FROM settings")]
    return dict(rows)
