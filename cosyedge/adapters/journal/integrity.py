"""Find any changed byte of the journal before it is used.

A clean close leaves the sha256 of the whole file beside it. After a kill there is none: then
SQLite's own integrity check, the seal of every row and the chain of checksums of the
write-ahead log are read instead.
"""

import os
import sqlite3
from hashlib import sha256
from pathlib import Path

from cosyedge.adapters.journal.connection import connect
from cosyedge.adapters.journal.rows import unseal
from cosyedge.adapters.journal.wal import LogState
from cosyedge.core.errors import StorageFailure


def digest_path(path: Path) -> Path:
    """Where a clean close leaves the file's sha256."""
    return path.with_name(path.name + ".sha256")


def log_path(path: Path) -> Path:
    """Where SQLite keeps the write-ahead log."""
    return path.with_name(path.name + "-wal")


def damage_of(path: Path, log: LogState) -> str | None:
    """What is wrong with the file as it lies there, before SQLite may mend or use it."""
    if not path.exists():
        return None
    digest = digest_path(path)
    if digest.exists():
        if digest.read_text("ascii", "replace").strip() != sha256(path.read_bytes()).hexdigest():
            return "its bytes have changed since it was closed"
        return None
    if path.stat().st_size and path.read_bytes()[:16] != b"SQLite format 3\0":
        return "it is not an SQLite file"
    if log is LogState.DAMAGED:
        return "its write-ahead log is damaged"
    return _failed_check(path)


def _failed_check(path: Path) -> str | None:
    try:
        connection = connect(path)
        try:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if verdict == "ok":
                _check_seals(connection)
        finally:
            connection.close()
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, StorageFailure) as error:
        return str(error)
    return None if verdict == "ok" else str(verdict)


def _check_seals(connection: sqlite3.Connection) -> None:
    tables = connection.execute(
        "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.name = 'seal'"
    ).fetchall()
    for (table,) in tables:
        for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 - our own schema
            unseal(row)


def leave_digest(path: Path) -> None:
    """Write the digest of a file that is closed."""
    target = digest_path(path)
    fresh = target.with_name(target.name + ".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, sha256(path.read_bytes()).hexdigest().encode("ascii"))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    fresh.rename(target)
