"""The output kind ``null``: takes everything and makes no sound, in real time or at once."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from cosyedge.core.speech import Speech
from cosyedge.service.ports import Playback, Programme


class NullOutput:
    """Satisfies service.ports.Output."""

    def __init__(
        self,
        name: str,
        *,
        paced: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``paced``: a part takes as long as its sound would."""
        self.name = name
        self._paced = paced
        self._monotonic = monotonic

    async def open(self, programme: Programme) -> "NullSession":  # noqa: ARG002 - the port's
        """Begin a programme; never fails."""
        return NullSession(self._paced, self._monotonic)

    async def probe(self) -> str | None:
        """Nothing can be wrong with it."""
        return None


class NullSession:
    """Satisfies service.ports.OutputSession."""

    def __init__(self, paced: bool, monotonic: Callable[[], float]) -> None:
        """Begin in silence."""
        self.playback = Playback()
        self._paced = paced
        self._monotonic = monotonic
        self._stopped = asyncio.Event()
        self._going = asyncio.Event()
        self._going.set()
        self._changed = asyncio.Event()

    async def write(self, speech: Speech, *, last: bool) -> None:  # noqa: ARG002 - the port's
        """Take a part; if paced, return when it would have sounded or was cut."""
        self.playback.begin(self._monotonic())
        left_s = speech.duration_s
        while self._paced and left_s > 0 and not self._stopped.is_set():
            await self._going.wait()
            self._changed.clear()
            begun = self._monotonic()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left_s)
            spent_s = min(left_s, self._monotonic() - begun)
            left_s -= spent_s
            self.playback.played_s += spent_s
        if not self._paced:
            self.playback.played_s += speech.duration_s

    async def drain(self) -> None:
        """All has sounded once it was written."""

    async def stop(self, fade_s: float) -> None:  # noqa: ARG002 - the port's
        """Cut it."""
        self._stopped.set()
        self._going.set()
        self._changed.set()

    async def hold(self, paused: bool) -> None:
        """Pause or go on."""
        if paused:
            self._going.clear()
        else:
            self._going.set()
        self._changed.set()
