"""Journals as a stop and as a kill leave them, and everything that can be read out of one."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cosyedge.adapters.journal import SqliteJournal
from tests.journal.material import FINISHED, SteadyClock, entry, event

NAME = "journal.sqlite"

#: What a journal says, by table: rows as text, so that they can be compared and told.
Content = Mapping[str, tuple[str, ...]]

EMPTY: Content = dict.fromkeys(("open", "ended", "outbox", "faults", "settings"), ())


@dataclass(frozen=True, slots=True)
class Template:
    """A journal's files, and every content that they had at the end of some commit.

    A log that is cut off short ends at an earlier commit: no checksum can tell.
    """

    files: Mapping[str, bytes]
    contents: tuple[Content, ...]

    @property
    def content(self) -> Content:
        """What it says now."""
        return self.contents[-1]

    def lay(self, folder: Path) -> Path:
        """Put its files, and nothing else, into ``folder``; returns the journal's path."""
        for old in folder.iterdir():
            old.unlink()
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return folder / NAME


def content_of(journal: SqliteJournal) -> Content:
    """All that a reader of an open journal is given.

    When a fault was over is left out: opening a journal ends those that stood.
    """
    faults = [(f.id, f.name, f.code, f.raised_at, f.acked_at) for f in journal.faults()]
    tables = {
        "open": journal.open_entries(),
        "ended": journal.history(limit=1000),
        "outbox": journal.undelivered(1000),
        "faults": faults,
        "settings": sorted(journal.settings().items()),
    }
    return {name: tuple(map(repr, rows)) for name, rows in tables.items()}


async def make_templates(folder: Path) -> dict[str, Template]:
    """Three journals of one life: stopped; killed with a log; killed after the log was folded."""
    live, copies = folder / "live", folder / "copies"
    journal = SqliteJournal(live / NAME, SteadyClock())
    copies.mkdir()
    count = 0
    for number in range(6):
        await _step(journal, number)
        shutil.copytree(live, copies / str(number))
        count += 1
    await journal.close()
    stopped = _files_of(live)
    killed = _files_of(copies / str(count - 1))
    contents = []
    for number in range(count):
        reopened = SqliteJournal(copies / str(number) / NAME, SteadyClock())
        contents.append(content_of(reopened))
        await reopened.close()
    folded = {name: data for name, data in stopped.items() if name == NAME}
    return {
        "stopped": Template(stopped, (contents[-1],)),
        "killed": Template(killed, (EMPTY, *contents)),
        "folded": Template(folded, (contents[-1],)),
    }


async def _step(journal: SqliteJournal, number: int) -> None:
    """One commit of each kind."""
    id = f"id{number}"
    match number:
        case 0 | 1:
            await journal.accept(entry(id), [event("accepted", id)])
        case 2:
            await journal.note("id0", "started", 1, [event("started", "id0")])
        case 3:
            await journal.end("id1", FINISHED, [event("finished", "id1")])
        case 4:
            journal.fault_raised("output.hall", "device_missing")
            await journal.tell([])
        case _:
            journal.set_setting("hall/volume", "0.5")
            await journal.tell([])


def _files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix != ".lock"}
