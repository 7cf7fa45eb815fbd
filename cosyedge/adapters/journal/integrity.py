"""Find any changed byte of the journal before it is used.

A clean close leaves the sha256 of the whole file beside it. After a kill there is none: then
the header, the schema, SQLite's own integrity check, the seal of every row and the chain of
checksums of the write-ahead log are read instead.
"""

import hashlib
import os
import sqlite3
from pathlib import Path

from cosyedge.adapters.journal.connection import connect, is_trouble_of_the_disk
from cosyedge.adapters.journal.rows import unseal
from cosyedge.adapters.journal.schema import expected_schema, schema_of, version_of
from cosyedge.adapters.journal.wal import LogState
from cosyedge.core.errors import StorageFailure

MAGIC = b"SQLite format 3\0"
# Where the header says whether there is a log: 1 no, 2 yes, for writers and for readers.
FORMATS = slice(18, 20)
# No journal comes near: a larger one would meet the numbers of the memory's outbox.
MOST_SEQUENCE = 1 << 53


def digest_path(path: Path) -> Path:
    """Where a clean close leaves the file's sha256."""
    return path.with_name(path.name + ".sha256")


def log_path(path: Path) -> Path:
    """Where SQLite keeps the write-ahead log."""
    return path.with_name(path.name + "-wal")


def damage_of(path: Path, log: LogState, steps: tuple[str, ...]) -> str | None:
    """What is wrong with the file as it lies there, before SQLite may mend or use it.

    ``steps`` are the migrations that this program knows. Raises sqlite3.Error and OSError only
    where the disk cannot be used.
    """
    if not path.exists():
        return None
    digest = digest_path(path)
    if digest.exists():
        if digest.read_text("ascii", "replace").strip() != _sha256(path):
            return "its bytes have changed since it was closed"
        return None
    return _damaged_header(path) or _damaged_log(log) or _failed_check(path, steps)


def _damaged_header(path: Path) -> str | None:
    log = log_path(path)
    has_log = log.exists() and log.stat().st_size > 0
    with path.open("rb") as file:
        head = file.read(FORMATS.stop)
    if not head:
        # A new one; but SQLite would throw away what its log still holds.
        return "it is empty beside its log" if has_log else None
    if not head.startswith(MAGIC):
        return "it is not an SQLite file"
    if not set(head[FORMATS]) <= {1, 2} or (has_log and head[FORMATS] != b"\2\2"):
        return "its header is damaged"
    return None


def _damaged_log(log: LogState) -> str | None:
    return "its write-ahead log is damaged" if log is LogState.DAMAGED else None


def _failed_check(path: Path, steps: tuple[str, ...]) -> str | None:
    try:
        connection = connect(path)
        try:
            check(connection, steps)
        finally:
            connection.close()
    except sqlite3.Error as error:
        if is_trouble_of_the_disk(error):
            raise
        return str(error)
    except (StorageFailure, UnicodeDecodeError) as error:
        return str(error)
    return None


def check(connection: sqlite3.Connection, steps: tuple[str, ...]) -> None:
    """Read every page and row. Raises StorageFailure or sqlite3.Error at what is damaged."""
    verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise StorageFailure("corrupt", str(verdict))
    _check_schema(connection, steps)
    _check_sequences(connection)
    _check_seals(connection)


def _check_schema(connection: sqlite3.Connection, steps: tuple[str, ...]) -> None:
    """Compare the tables with those of the version; of a newer version we know none."""
    version = version_of(connection)
    if version <= len(steps) and schema_of(connection) != expected_schema(steps[:version]):
        raise StorageFailure("corrupt", "its tables are not those of its version")


def _check_sequences(connection: sqlite3.Connection) -> None:
    kept = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")
    if kept.fetchone() is None:
        return
    for name, last in connection.execute("SELECT name, seq FROM sqlite_sequence"):
        if name not in ("outbox", "faults") or not isinstance(last, int):
            raise StorageFailure("corrupt", "a number of its tables is damaged")
        highest = connection.execute(f"SELECT max(rowid) FROM {name}").fetchone()[0]  # noqa: S608
        if not (highest or 0) <= last < MOST_SEQUENCE:
            raise StorageFailure("corrupt", "a number of its tables is damaged")


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
        os.write(descriptor, _sha256(path).encode("ascii"))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    fresh.rename(target)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
