"""One flipped byte in the cache, the voice or the journal: found before use, or it is harmless.

Harmless is a byte that nobody reads: what is read is then compared, to the last row.
"""

import asyncio
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache
from cosyedge.adapters.journal import SqliteJournal
from cosyedge.core.errors import EngineFailure
from cosyedge.engine.manifest import verified_files
from tests.cache.phrases import entry, key
from tests.fuzz.feeding import Feed
from tests.fuzz.journals import NAME, content_of, make_templates
from tests.journal.material import SteadyClock
from tests.support.voices import hibari


@dataclass(frozen=True, slots=True)
class Flip:
    """Where a byte was changed, and what it was."""

    path: Path
    place: int
    old: bytes

    def undo(self) -> None:
        """Put it back."""
        _put(self.path, self.place, self.old)


def flip(files: Sequence[Path], dice: random.Random) -> Flip:
    """Change one byte of all that these files hold to any other."""
    (path,) = dice.choices(files, [file.stat().st_size for file in files])
    place = dice.randrange(path.stat().st_size)
    with path.open("rb") as file:
        file.seek(place)
        old = file.read(1)
    _put(path, place, bytes([old[0] ^ dice.randint(1, 255)]))
    return Flip(path, place, old)


def _put(path: Path, place: int, byte: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(byte)


def make_cache_feed(folder: Path) -> Feed:
    """A phrase on disk, kept and pinned ones in turn: a flipped one is a miss, and gone."""

    async def one(dice: random.Random) -> str:
        cache = PhraseCache(DiskTier(folder / "phrases", DiskLimits()), 0)
        await cache.open()
        try:
            await cache.keep(key(1), entry(1), pinned=dice.random() < 0.5)
            flip(list((folder / "phrases").glob(f"{key(1)}.*")), dice)
            assert await cache.fetch(key(1)) is None
            assert not list((folder / "phrases").glob(f"{key(1)}.*"))
            assert cache.stats()["disk"]["damaged"] == 1
        finally:
            await cache.close()
        return "found"

    return lambda dice: asyncio.run(one(dice))


def make_model_feed(folder: Path) -> Feed:
    """A copy of the default voice: with any byte of it flipped it is not loaded."""
    found = hibari()
    paths = {file: folder / file.path for file in found.voice.files}
    for file, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found.folder / file.path, path)

    def feed(dice: random.Random) -> str:
        # Half of them in the graphs, which are most of its bytes; else any file as often.
        files = list(paths.values())
        flipped = flip(files if dice.random() < 0.5 else [dice.choice(files)], dice)
        try:
            verified_files(found.voice, folder)
        except EngineFailure as failure:
            if failure.code != "model_invalid":
                raise
            return "found"
        finally:
            flipped.undo()
        raise AssertionError(f"not found: {flipped}")

    return feed


def make_journal_feed(folder: Path) -> Feed:
    """A journal that was stopped or killed: the damage is told, or all rows are as written."""
    work = folder / "work"
    work.mkdir()
    with asyncio.Runner() as runner:
        templates = list(runner.run(make_templates(folder)).values())

    def feed(dice: random.Random) -> str:
        template = dice.choice(templates)
        path = template.lay(work)
        flipped = flip([work / name for name in template.files], dice)
        journal = SqliteJournal(path, SteadyClock())
        try:
            if journal.damage is not None:
                return "found, moved aside"
            if journal.torn:
                assert content_of(journal) in template.contents
                return "found in the last commit"
            assert content_of(journal) == template.content, flipped
            return "harmless"
        finally:
            journal.close_now()

    return feed


def is_found(folder: Path) -> bool:
    """Whether a journal with one changed byte says so when it is opened."""
    journal = SqliteJournal(folder / NAME, SteadyClock())
    journal.close_now()
    return journal.damage is not None or journal.torn
