"""The journal's file: locked, checked byte by byte, and moved aside where it is damaged."""

import fcntl
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from cosyedge.adapters.journal.connection import connect, translate
from cosyedge.adapters.journal.integrity import (
    check,
    damage_of,
    digest_path,
    leave_digest,
    log_path,
)
from cosyedge.adapters.journal.schema import MIGRATIONS, migrate
from cosyedge.adapters.journal.wal import LogState, state_of_log
from cosyedge.core.errors import StorageFailure

PAGE_BYTES = 4096
# The write-ahead log is folded into the file at every 256 pages (1 MiB), or sooner.
CHECKPOINT_PAGES = 256
# A reader of the command line does not hold up a stop.
CLOSING_TIMEOUT_MS = 500


def max_pages(max_bytes: int) -> int:
    """How many pages the file may have, so that it and its log stay within ``max_bytes``."""
    return max_bytes // PAGE_BYTES - 2 * checkpoint_pages(max_bytes)


def checkpoint_pages(max_bytes: int) -> int:
    """How many pages the log may have until it is folded into the file."""
    return min(CHECKPOINT_PAGES, max_bytes // PAGE_BYTES // 8)


class JournalFile:
    """The journal's file, held by this process alone.

    ``damage`` says why an older file was moved aside; ``torn`` that the last commit of the run
    before cannot be read (power was lost in it, or a byte of it changed). Opening blocks (10
    MiB are read in about 0.1 s). Raises StorageFailure: ``in_use`` where another daemon holds
    the directory, ``disk`` where it cannot be written.
    """

    def __init__(self, path: Path, max_bytes: int, steps: tuple[str, ...] = MIGRATIONS) -> None:
        self.path = path
        self.damage: str | None = None
        self.torn = False
        self._max_bytes = max_bytes
        self._steps = steps
        self._lock = _lock(path.with_name(path.name + ".lock"))
        try:
            self.connection = self._open()
        except (sqlite3.Error, OSError) as error:
            os.close(self._lock)
            raise translate(error) from error

    def close(self) -> None:
        """Fold the log in, leave the digest, let the lock go. Keeps silent about a full disk.

        A file that was damaged meanwhile gets no digest, and is moved aside at the next start.
        """
        with suppress(sqlite3.Error, OSError):
            self.connection.execute(f"PRAGMA busy_timeout = {CLOSING_TIMEOUT_MS}")
            folded = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            sound = self._is_sound()
            self.connection.close()
            if sound and folded[0] == 0 and not log_path(self.path).exists():
                leave_digest(self.path)
        os.close(self._lock)

    def _is_sound(self) -> bool:
        try:
            # What lies in the cache is not what lies in the file.
            with closing(connect(self.path, read_only=True)) as link:
                check(link, self._steps)
        except (sqlite3.Error, StorageFailure, UnicodeDecodeError):
            return False
        return True

    def _open(self) -> sqlite3.Connection:
        log = state_of_log(log_path(self.path))
        self.torn = log is LogState.TORN
        self.damage = damage_of(self.path, log, self._steps)
        if self.damage:
            _move_aside(self.path)
        digest_path(self.path).unlink(missing_ok=True)
        try:
            return self._prepare()
        except (sqlite3.DatabaseError, ValueError) as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self.damage = str(error)
            _move_aside(self.path)
            return self._prepare()

    def _prepare(self) -> sqlite3.Connection:
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self.path.chmod(0o600)
        connection = connect(self.path)
        try:
            for pragma in (
                f"page_size = {PAGE_BYTES}",
                "auto_vacuum = INCREMENTAL",
                "journal_mode = WAL",
                "synchronous = FULL",
                # The text of an ended item is overwritten, not merely forgotten.
                "secure_delete = ON",
                "cache_size = -1024",
                "temp_store = MEMORY",
                f"wal_autocheckpoint = {checkpoint_pages(self._max_bytes)}",
                f"journal_size_limit = {checkpoint_pages(self._max_bytes) * PAGE_BYTES}",
                f"max_page_count = {max_pages(self._max_bytes)}",
            ):
                connection.execute(f"PRAGMA {pragma}")
            migrate(connection, self._steps)
        except BaseException:
            connection.close()
            raise
        return connection


def _lock(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise translate(error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StorageFailure("in_use", f"another daemon holds {path.parent}") from error
    return lock


def _move_aside(path: Path) -> None:
    """Keep one damaged file, with its log, for whoever wants to look."""
    for name in (path, log_path(path)):
        if name.exists():
            name.rename(name.with_name(name.name + ".damaged"))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
