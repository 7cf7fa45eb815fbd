"""Connections to the journal's file, and what SQLite's errors mean to us."""

import sqlite3
from pathlib import Path

from cosyedge.core.errors import StorageFailure

BUSY_TIMEOUT_S = 5.0


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


def translate(error: Exception) -> StorageFailure:
    """Name what SQLite or the kernel said about the disk."""
    text = str(error)
    damaged = "malformed" in text or "not a database" in text
    return StorageFailure("corrupt" if damaged else "disk", f"the journal: {text}")
