"""The last 99 faults: raised, cleared, acknowledged."""

import sqlite3
from dataclasses import replace

from cosyedge.adapters.journal.rows import Fault, from_fault, to_fault
from cosyedge.adapters.journal.tables import insert

KEPT_FAULTS = 99


def raise_fault(connection: sqlite3.Connection, name: str, code: str, now: float) -> None:
    """Latch a fault; another code of the same name takes its place, the same one stays."""
    standing = [fault for fault in read_faults(connection) if _stands(fault, name)]
    if any(fault.code == code for fault in standing):
        return
    clear_faults(connection, name, now)
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'faults'").fetchone()
    fault = Fault(last[0] + 1 if last else 1, name, code, now)
    insert(connection, "faults", from_fault(fault))
    connection.execute("DELETE FROM faults WHERE id <= ?", (fault.id - KEPT_FAULTS,))


def clear_faults(connection: sqlite3.Connection, name: str | None, now: float) -> None:
    """Mark what is gone, of one name or of all; it stays until acknowledged."""
    for fault in read_faults(connection):
        if _stands(fault, name):
            insert(connection, "faults", from_fault(replace(fault, cleared_at=now)))


def acknowledge(connection: sqlite3.Connection, which: int | str | None, now: float) -> list[Fault]:
    """Acknowledge by id, by name, or all; returns those that were not before."""
    seen = [
        replace(fault, acked_at=now)
        for fault in read_faults(connection)
        if which in (None, fault.id, fault.name) and fault.acked_at is None
    ]
    for fault in seen:
        insert(connection, "faults", from_fault(fault))
    return seen


def read_faults(connection: sqlite3.Connection, limit: int = KEPT_FAULTS) -> list[Fault]:
    """The faults, newest first."""
    rows = connection.execute("SELECT * FROM faults ORDER BY id DESC LIMIT ?", (limit,))
    return [to_fault(row) for row in rows]


def _stands(fault: Fault, name: str | None) -> bool:
    return fault.cleared_at is None and name in (None, fault.name)
