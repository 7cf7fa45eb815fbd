"""The output kind ``file``: one file an announcement, which appears whole or not at all."""

import asyncio
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from cosyedge.adapters.encoding import FORMATS, encode
from cosyedge.adapters.resample import resampled
from cosyedge.core.errors import OutputFailure
from cosyedge.core.shaping import joined
from cosyedge.core.speech import Speech
from cosyedge.service.ports import Playback, Programme

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_S: Final = 3600.0


class FileOutput:
    """Satisfies service.ports.Output."""

    def __init__(
        self,
        name: str,
        directory: Path,
        *,
        format: str = "wav",
        max_files: int = 100,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Write ``<zone>.<id>.<format>`` into ``directory``, where the oldest of its format
        give way above ``max_files``."""
        self.name = name
        self._directory = directory
        self._format = format
        self._max_files = max_files
        self._monotonic = monotonic

    async def open(self, programme: Programme) -> "FileSession":
        """Begin a programme; nothing is written before its end."""
        target = self._directory / file_name(programme.zone, programme.id, self._format)
        return FileSession(target, self._save, self._monotonic)

    async def probe(self) -> str | None:
        """None where the directory can be written, else ``disk``."""
        return await asyncio.to_thread(self._fault)

    def _fault(self) -> str | None:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            return "disk"
        return None if os.access(self._directory, os.W_OK | os.X_OK) else "disk"

    def _save(self, parts: list[Speech], target: Path) -> None:
        rate_hz = parts[0].rate_hz
        clip = joined([resampled(part, rate_hz) for part in parts])
        data = encode(clip, self._format)
        incoming = target.with_name(f".{target.name}.part")
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            incoming.write_bytes(data)
            incoming.replace(target)
            self._make_room()
        except OSError as error:
            with suppress(OSError):
                incoming.unlink(missing_ok=True)
            raise OutputFailure("disk", f"cannot write {target}: {error.strerror}") from error

    def _make_room(self) -> None:
        ours = [
            (path.stat().st_mtime_ns, path)
            for path in self._directory.glob(f"*{FORMATS[self._format].suffix}")
        ]
        for _, path in sorted(ours)[: max(0, len(ours) - self._max_files)]:
            path.unlink(missing_ok=True)


class FileSession:
    """Satisfies service.ports.OutputSession."""

    def __init__(
        self,
        target: Path,
        save: Callable[[list[Speech], Path], None],
        monotonic: Callable[[], float],
    ) -> None:
        """Collect parts for ``target``; ``save`` blocks."""
        self.playback = Playback()
        self._target = target
        self._save = save
        self._monotonic = monotonic
        self._parts: list[Speech] = []

    async def write(self, speech: Speech, *, last: bool) -> None:  # noqa: ARG002 - the port's
        """Take a part. Raises OutputFailure("too_large") beyond an hour."""
        self.playback.begin(self._monotonic())
        self.playback.played_s += speech.duration_s
        if self.playback.played_s > _MAX_S:
            raise OutputFailure("too_large", "the announcement is longer than an hour")
        self._parts.append(speech)

    async def drain(self) -> None:
        """Write the file. Raises OutputFailure("disk")."""
        parts, self._parts = self._parts, []
        if parts:
            await asyncio.to_thread(self._save, parts, self._target)
            self.playback.details["file"] = self._target.name

    async def stop(self, fade_s: float) -> None:  # noqa: ARG002 - the port's
        """Drop what was taken: a cut announcement leaves no file."""
        self._parts.clear()

    async def hold(self, paused: bool) -> None:
        """A file has no time that could be held."""


def file_name(zone: str, id: str, format: str) -> str:
    """A plain file name for any id: what is not a letter, digit, _ or - becomes _."""
    stem = f"{_UNSAFE.sub('_', zone)}.{_UNSAFE.sub('_', id)}"
    return f"{stem[:120]}{FORMATS[format].suffix}"
