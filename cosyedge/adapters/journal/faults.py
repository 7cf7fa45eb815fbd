"""The last 99 faults: raised, cleared, acknowledged."""

import sqlite3
from dataclasses import replace

from cosyedge.adapters.journal.rows import Fault, from_fault, to_fault
from cosyedge.adapters.journal.tables import insert

KEPT_FAULTS = 99


def raise_fault(
    connection: sqlite3.Connection, name: str, code: str, message: str, now: float
) -> Fault:
    """Latch a fault; one of this name and code that was not cleared stays the same row."""
    for fault in read_faults(connection):
        if (fault.name, fault.code, fault.cleared_at) == (name, code, None):
            return fault
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'faults'").fetchone()
    fault = Fault(last[0] + 1 if last else 1, name, code, message, now)
    insert(connection, "faults", from_fault(fault))
    connection.execute("DELETE FROM faults WHERE id <= ?", (fault.id - KEPT_FAULTS,))
    return fault


def clear_fault(
    connection: sqlite3.Connection, name: str, code: str | None, now: float
) -> list[Fault]:
    """Mark what is gone (of one code, or all of that name); it stays until acknowledged."""
    gone = [
        replace(fault, cleared_at=now)
        for fault in read_faults(connection)
        if fault.name == name and code in (None, fault.code) and fault.cleared_at is None
    ]
    for fault in gone:
        insert(connection, "faults", from_fault(fault))
    return gone


def ack_faults(connection: sqlite3.Connection, id: int | None, now: float) -> list[Fault]:
    """Acknowledge one fault, or all; returns those that were not before."""
    seen = [
        replace(fault, acked_at=now)
        for fault in read_faults(connection)
        if id in (None, fault.id) and fault.acked_at is None
    ]
    for fault in seen:
        insert(connection, "faults", from_fault(fault))
    return seen


def read_faults(connection: sqlite3.Connection, limit: int = KEPT_FAULTS) -> list[Fault]:
    """The faults, newest first."""
    rows = connection.execute("SELECT * FROM faults ORDER BY id DESC LIMIT ?", (limit,))
    return [to_fault(row) for row in rows]
