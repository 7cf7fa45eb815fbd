"""Journal files: whatever they hold, the journal opens, tells what it lost and takes new rows."""

import asyncio
import random
from pathlib import Path

from cosyedge.adapters.journal import SqliteJournal
from tests.fuzz.feeding import Feed, mutated
from tests.fuzz.journals import EMPTY, NAME, Template, content_of, make_templates
from tests.journal.material import FINISHED, SteadyClock, entry, event

PIECES = (b"\0", b"SQLite format 3\0", b"\xff" * 9, b"CREATE TABLE t (a)", b"\x0d\x00\x00\x00\x01")
LOG = f"{NAME}-wal"


def make_feed(folder: Path) -> Feed:
    """Feed journals in ``folder``: one of a stop or a kill, with a file of it changed."""
    work = folder / "work"
    work.mkdir()
    with asyncio.Runner() as runner:
        templates = list(runner.run(make_templates(folder)).values())

    def feed(dice: random.Random) -> str:
        template = dice.choice(templates)
        path = template.lay(work)
        _change(path, template, dice)
        return asyncio.run(open_and_use(path, template))

    return feed


async def open_and_use(path: Path, template: Template) -> str:
    """Open a journal, compare what it says with what was written, and go on with it."""
    was_empty = path.stat().st_size == 0
    journal = SqliteJournal(path, SteadyClock())
    try:
        outcome = _judge(journal, template, was_empty=was_empty)
        await journal.accept(entry("new"), [event("accepted", "new")])
        await journal.end("new", FINISHED, [event("finished", "new")])
        assert journal.history(limit=1)[0].id == "new"
    finally:
        await journal.close()
    return outcome


def _judge(journal: SqliteJournal, template: Template, *, was_empty: bool) -> str:
    """What was read is what was written, or the loss is told; no row is ever another one."""
    found = content_of(journal)
    for table, rows in found.items():
        written = {row for content in template.contents for row in content[table]}
        assert set(rows) <= written, (table, set(rows) - written)
    if journal.damage is not None:
        return "moved aside"
    if journal.torn:
        return "torn"
    # An empty file is a new one.
    assert found in (*template.contents, *([EMPTY] if was_empty else [])), found
    return "harmless" if found == template.content else "cut"


def _change(path: Path, template: Template, dice: random.Random) -> None:
    name = dice.choice([*template.files, NAME, NAME])
    target = path.with_name(name)
    data = template.files[name]
    match dice.randrange(12):
        case 0:
            target.write_bytes(dice.randbytes(dice.randrange(9000)))
        case 1:
            target.write_bytes(data[: dice.randrange(len(data) + 1)])
        case 2 | 3:
            target.write_bytes(_in_place(data, dice))
        case 4:
            target.write_bytes(_pages_swapped(data, dice))
        case _:
            target.write_bytes(mutated(data, dice, PIECES))


def _in_place(data: bytes, dice: random.Random) -> bytes:
    """Some bytes changed where they are, most of them where SQLite keeps its structure."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        page = dice.randrange(0, len(data), 4096)
        at = page + dice.randrange(120) if dice.random() < 0.5 else dice.randrange(len(data))
        if at < len(data):
            changed[at] = dice.randrange(256)
    return bytes(changed)


def _pages_swapped(data: bytes, dice: random.Random) -> bytes:
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    one, other = dice.randrange(len(pages)), dice.randrange(len(pages))
    pages[one], pages[other] = pages[other], pages[one]
    return b"".join(pages)
