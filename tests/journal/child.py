"""Processes for the journal's tests: one meets a full disk, one is killed at a chosen step."""

import asyncio
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cosyedge.adapters.journal import SqliteJournal
from cosyedge.adapters.journal.writer import Writer
from cosyedge.core.errors import StorageFailure
from tests.journal.material import FINISHED, SteadyClock, entry, event

STEPS = ("_begin", "_apply", "_finish", "_settle", "_fold")


async def fill(path: Path, max_file_bytes: int) -> None:
    """Accept until the disk takes no more, tell what was kept."""
    journal = SqliteJournal(path, SteadyClock())
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
    accepted: list[str] = []
    while True:
        id = f"id{len(accepted)}"
        try:
            await journal.accept(entry(id, payload=b"x" * 8000), [event("accepted", id)])
        except StorageFailure as failure:
            known = journal.ended_within_a_day(id)
            told = {"code": failure.code, "accepted": accepted, "failed_id_known": known}
            print(json.dumps(told), flush=True)
            os._exit(0)
        accepted.append(id)


def tell(word: str, id: str) -> None:
    """Print a whole line at once: a kill must not halve it."""
    os.write(1, f"{word} {id}\n".encode())


def killing_writer(step: str, when: str, countdown: int) -> type[Writer]:
    """A writer that ends its own process before or after the nth call of one of its steps."""
    left = [countdown]

    def guarded(inner: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Writer, *arguments: Any) -> Any:
            left[0] -= 1
            if left[0] == 0 and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = inner(self, *arguments)
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return run

    return type("KillingWriter", (Writer,), {step: guarded(getattr(Writer, step))})


class KilledJournal(SqliteJournal):
    """A journal whose process dies at a step."""


async def work(path: Path, step: str, when: str, countdown: int) -> None:
    """Accept, start and end ids in threes; print each line once its await has returned."""
    KilledJournal.writer_type = killing_writer(step, when, countdown)
    journal = KilledJournal(path, SteadyClock())
    log = path.with_name(path.name + "-wal")

    async def one(id: str) -> None:
        await journal.accept(entry(id), [event("accepted", id)])
        tell("accepted", id)
        await journal.note(id, "started")
        tell("started", id)
        await journal.end(id, FINISHED, [event("finished", id)])
        tell("ended", id)

    for start in range(0, 30, 3):
        await asyncio.gather(*(one(f"id{number}") for number in range(start, start + 3)))
        while step == "_fold" and log.stat().st_size:
            await asyncio.sleep(0.02)


def main() -> None:
    task, path, *rest = sys.argv[1:]
    if task == "fill":
        asyncio.run(fill(Path(path), int(rest[0])))
    else:
        asyncio.run(work(Path(path), rest[0], rest[1], int(rest[2])))


if __name__ == "__main__":
    main()
