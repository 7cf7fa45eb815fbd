"""Connections to the journal's file, and what SQLite's errors mean to us."""

import sqlite3
from pathlib import Path

from cosyedge.core.errors import StorageFailure

BUSY_TIMEOUT_S = 5.0
# SQLite's primary result codes that speak of the disk or its rights, not of the file's bytes.
DISK_CODES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
    }
)
DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a connection that no particular thread owns, with transactions by hand."""
    mode = "ro" if read_only else "rwc"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_S,
    )
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    return connection


def is_trouble_of_the_disk(error: sqlite3.Error) -> bool:
    """Whether the disk is at fault: what was read says nothing then."""
    return _primary_code(error) in DISK_CODES


def is_of_one_row(error: sqlite3.Error) -> bool:
    """Whether a row was found and its text is no UTF-8: the sqlite3 module's own complaint."""
    return _primary_code(error) is None


def translate(error: Exception) -> StorageFailure:
    """Name what SQLite or the kernel said about the disk."""
    damaged = isinstance(error, sqlite3.Error) and _primary_code(error) in DAMAGE_CODES
    return StorageFailure("corrupt" if damaged else "disk", f"the journal: {error}")


def _primary_code(error: sqlite3.Error) -> int | None:
    # Errors of the sqlite3 module itself carry none.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
