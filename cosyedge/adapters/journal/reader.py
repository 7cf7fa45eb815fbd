"""The journal's file for the command line, beside a running daemon or without one."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from cosyedge.adapters.journal import faults, tables
from cosyedge.adapters.journal.connection import connect, translate
from cosyedge.adapters.journal.integrity import digest_path
from cosyedge.adapters.journal.rows import EndedRow, Fault
from cosyedge.adapters.journal.schema import MIGRATIONS, version_of
from cosyedge.core.errors import StorageFailure

Answer = TypeVar("Answer")


class JournalReader:
    """Read history and faults, and acknowledge faults, each in a connection of its own.

    Raises StorageFailure (``disk``) where there is no journal or no permission to read it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def history(self, since: float = 0.0, limit: int = 100) -> Sequence[EndedRow]:
        """What ended since a wall-clock second, newest first."""
        return self._ask(lambda link: tables.read_ended(link, since, limit))

    def faults(self) -> Sequence[Fault]:
        """The last 99 faults, newest first."""
        return self._ask(faults.read_faults)

    def acknowledge(self, which: int | str | None = None) -> Sequence[Fault]:
        """Acknowledge faults by id, by name, or all; returns those that were not before."""

        if not any(fault.acked_at is None for fault in self.faults()):
            return []

        def change(link: sqlite3.Connection) -> Sequence[Fault]:
            # The digest speaks of a file that nobody has written to since.
            digest_path(self._path).unlink(missing_ok=True)
            link.execute("BEGIN IMMEDIATE")
            seen = faults.acknowledge(link, which, time.time())
            link.execute("COMMIT")
            return seen

        return self._ask(change)

    def _ask(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        with self._connection() as link:
            return question(link)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if not self._path.exists():
            raise StorageFailure("disk", f"no journal at {self._path}")
        try:
            link = connect(self._path)
            try:
                version = version_of(link)
                if version != len(MIGRATIONS):
                    wrong = f"is of version {version}" if version else "holds nothing yet"
                    raise StorageFailure("disk", f"{self._path} {wrong}")
                yield link
            finally:
                link.close()
        except (sqlite3.Error, OSError) as error:
            raise translate(error) from error
