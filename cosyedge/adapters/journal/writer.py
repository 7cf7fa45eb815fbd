"""One thread that writes the journal; changes that wait together share one commit."""

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from cosyedge.adapters.journal.connection import translate
from cosyedge.core.errors import StorageFailure

BATCH_ROWS = 64
BATCH_S = 0.005
# More changes than this waiting means a disk that does not keep up.
MAX_WAITING = 20_000
# The log is folded into the file, and its text overwritten, once this long nothing came.
IDLE_S = 0.5

Change: TypeAlias = Callable[[sqlite3.Connection], Any]


@dataclass(frozen=True, slots=True)
class _Job:
    change: Change
    done: "asyncio.Future[Any] | None"


@dataclass(frozen=True, slots=True)
class _Result:
    done: "asyncio.Future[Any] | None"
    value: Any = None
    error: Exception | None = None


class Writer:
    """Apply changes in the order of their arrival, in a thread of its own.

    A change must make its rows and look before it writes: one that raises leaves the commit of
    the others whole. ``tend`` runs at the end of each transaction, to keep the file small.
    """

    def __init__(self, connection: sqlite3.Connection, tend: Change) -> None:
        self.progressed_at = time.monotonic()
        self._connection = connection
        self._tend = tend
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._logged = False
        self._taken = 0
        self._settled = 0
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many changes wait for their commit, those inside it counted."""
        return self._taken - self._settled

    async def write(self, change: Change) -> Any:
        """Return what ``change`` returns once it is on disk.

        Raises StorageFailure where the disk keeps nothing, ValueError as the change does.
        """
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._put(_Job(change, done))
        return await done

    def post(self, change: Change) -> None:
        """Write a change that nobody waits for; where the disk keeps nothing, it is lost."""
        with suppress(StorageFailure):
            self._put(_Job(change, None))

    def stop(self) -> bool:
        """Write what waits, then end the thread; False where it has ended. Blocks."""
        if not self._thread.is_alive():
            return False
        self._jobs.put(None)
        self._thread.join()
        return True

    def _put(self, job: _Job) -> None:
        if not self._thread.is_alive():
            raise StorageFailure("disk", "the journal is closed")
        if self.waiting >= MAX_WAITING:
            raise StorageFailure("disk", f"{MAX_WAITING} changes wait for the disk")
        if not self.waiting:
            # Idle until now: what comes has the whole period to be written in.
            self.progressed_at = time.monotonic()
        self._taken += 1
        self._jobs.put(job)

    def _run(self) -> None:
        going = True
        while going:
            batch, going = self._gather()
            if batch:
                self._settle(self._commit(batch))
                self._settled += len(batch)
            else:
                self._fold()
            self.progressed_at = time.monotonic()

    def _gather(self) -> tuple[list[_Job], bool]:
        """What waits, at most 64 rows or 5 ms of it; empty once nothing came for a while."""
        try:
            job = self._jobs.get(timeout=IDLE_S if self._logged else None)
        except queue.Empty:
            return [], True
        batch: list[_Job] = []
        until = time.monotonic() + BATCH_S
        while job is not None:
            batch.append(job)
            if len(batch) >= BATCH_ROWS or time.monotonic() > until:
                return batch, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch, True
        return batch, False

    def _commit(self, batch: list[_Job]) -> list[_Result]:
        try:
            self._begin()
            results = [self._apply(job) for job in batch]
            self._finish()
        except sqlite3.Error as error:
            self._roll_back()
            failure = translate(error)
            return [_Result(job.done, error=failure) for job in batch]
        self._logged = True
        return results

    def _begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def _apply(self, job: _Job) -> _Result:
        try:
            return _Result(job.done, job.change(self._connection))
        except (ValueError, TypeError, OverflowError, StorageFailure) as error:
            return _Result(job.done, error=error)

    def _finish(self) -> None:
        self._tend(self._connection)
        self._connection.execute("COMMIT")

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _fold(self) -> None:
        self._logged = False
        try:
            self._connection.execute("PRAGMA incremental_vacuum")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            # The rows are safe in the log; the next commit tells the disk's trouble.
            return

    def _settle(self, results: list[_Result]) -> None:
        by_loop: dict[asyncio.AbstractEventLoop, list[_Result]] = {}
        for result in results:
            if result.done is not None:
                by_loop.setdefault(result.done.get_loop(), []).append(result)
        for loop, own in by_loop.items():
            # A loop that has closed meanwhile has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_deliver, own)


def _deliver(results: list[_Result]) -> None:
    for result in results:
        if result.done is None or result.done.done():
            continue
        if result.error is not None:
            result.done.set_exception(result.error)
        else:
            result.done.set_result(result.value)
