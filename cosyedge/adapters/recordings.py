"""Recorded messages: audio files in one folder, called by name."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Final

from cosyedge.adapters.encoding import decode
from cosyedge.core.errors import StorageFailure
from cosyedge.core.speech import Speech
from cosyedge.core.voice import NAME

SUFFIXES: Final = (".wav", ".flac", ".opus", ".ogg", ".mp3")


class Recordings:
    """A folder of recordings; ``gong`` is its file gong.wav, gong.flac, gong.opus, ..."""

    def __init__(self, folder: Path, *, max_bytes: int = 32 * 2**20, max_s: float = 600.0) -> None:
        """Open nothing yet; a folder that is not there is an empty one."""
        self._folder = folder
        self._max_bytes = max_bytes
        self._max_s = max_s

    def names(self) -> tuple[str, ...]:
        """The names that can be played, in order. Blocks for one listing."""
        try:
            found = {path.stem for path in self._folder.iterdir() if path.suffix in SUFFIXES}
        except OSError:
            return ()
        return tuple(sorted(name for name in found if self._path(name) is not None))

    def has(self, name: str) -> bool:
        """Whether ``name`` can be played; any text may be asked for. Blocks for a look."""
        return self._path(name) is not None

    async def load(self, name: str) -> Speech:
        """Decode a recording, in a thread.

        Raises StorageFailure: unknown_media, corrupt for what is no audio or too large, disk.
        """
        return await asyncio.to_thread(self._load, name)

    def _load(self, name: str) -> Speech:
        path = self._path(name)
        if path is None:
            raise StorageFailure("unknown_media", "there is no such recording", field="media")
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise StorageFailure("disk", f"cannot read {path.name}: {error.strerror}") from error
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > self._max_bytes:
                raise StorageFailure("corrupt", f"{path.name} is no file of a fit size")
            return decode(descriptor, max_s=self._max_s)
        finally:
            os.close(descriptor)

    def _path(self, name: str) -> Path | None:
        """The real file of a name, links resolved; None for one outside the folder."""
        if not NAME.fullmatch(name) or name.startswith("."):
            return None
        home = Path(os.path.realpath(self._folder))
        for suffix in SUFFIXES:
            # Unlike Path.resolve, realpath gives a loop of links back as it is.
            path = Path(os.path.realpath(home / f"{name}{suffix}"))
            if path.is_relative_to(home) and path.is_file():
                return path
        return None
