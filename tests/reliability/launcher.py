"""The real daemon with one part that fails on purpose: a program for tests alone.

``python -m tests.reliability.launcher kill KIND MOMENT ID --config FILE`` kills the process
(SIGKILL) at a moment of the transaction that accepts, starts or ends that id.
``... freeze ID --config FILE`` stops the journal's thread for ever when that id is accepted.
``... clock FILE --config FILE`` has a wall clock that is off by the seconds that the file says.
``... probe FILE --config FILE`` writes to a file how long its event loop lets a timer wait.
``... worker FOLDER --config FILE`` has workers that fail as tests.reliability.failing_worker says.
"""

import asyncio
import inspect
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from cosyedge.adapters.journal import SqliteJournal
from cosyedge.adapters.journal.writer import Change, Writer
from cosyedge.daemon import run
from cosyedge.daemon.clock import SystemClock
from cosyedge.worker.client import WorkerClient
from tests.reliability.loop_probe import ProbedLoops

KINDS = ("accept", "note", "end")
MOMENTS = ("before", "applied", "committed")


def concerns(change: Change, kind: str, id: str) -> bool:
    """Whether a change of the journal is the ``kind`` of this announcement.

    A start that is told together with its end has no change of its own.
    """
    kinds = ("note", "end") if kind == "note" else (kind,)
    if change.__qualname__ not in {f"SqliteJournal.{each}.<locals>.change" for each in kinds}:
        return False
    captured = inspect.getclosurevars(change).nonlocals
    entry = captured.get("entry")
    return id == (captured.get("id") if entry is None else entry.id)


def killing(kind: str, moment: str, id: str) -> type[Writer]:
    """A writer that ends its process at one moment of one change."""

    class KillingWriter(Writer):
        armed = False

        def _apply(self, job: Any) -> Any:
            ours = concerns(job.change, kind, id)
            if ours and moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = super()._apply(job)
            if ours and moment == "applied":
                os.kill(os.getpid(), signal.SIGKILL)
            self.armed = self.armed or ours
            return result

        def _finish(self) -> None:
            super()._finish()
            if self.armed:
                os.kill(os.getpid(), signal.SIGKILL)

    return KillingWriter


def freezing(id: str) -> type[Writer]:
    """A writer whose thread stands still for ever at one change."""

    class FreezingWriter(Writer):
        def _apply(self, job: Any) -> Any:
            if concerns(job.change, "accept", id):
                threading.Event().wait()
            return super()._apply(job)

    return FreezingWriter


def main() -> int:
    *words, option, config = sys.argv[1:]
    assert option == "--config", option
    match words:
        case ["kill", kind, moment, id]:
            SqliteJournal.writer_type = killing(kind, moment, id)
        case ["freeze", id]:
            SqliteJournal.writer_type = freezing(id)
        case ["clock", offset]:
            SystemClock.wall_source = lambda: time.time() + float(Path(offset).read_text())
        case ["probe", lines]:
            asyncio.set_event_loop_policy(ProbedLoops(Path(lines)))
        case ["worker", folder]:
            program = ("-P", "-m", "tests.reliability.failing_worker", folder)
            WorkerClient.program = (sys.executable, *program)
    return run(Path(config))


if __name__ == "__main__":
    sys.exit(main())
