"""A performance: one announcement in one zone, from its first part to its last sample."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from cosyedge.core.announcement import CLASSES, Announcement
from cosyedge.core.errors import CosyedgeError, OutputFailure
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.speech import Speech
from cosyedge.service.account import Account
from cosyedge.service.parts import Parts
from cosyedge.service.phrasebook import Found
from cosyedge.service.ports import Clock, Output, OutputSession, Programme

FADE_S = 0.15
#: What an output may need beyond the sound's own time: its own deadlines come long before.
OUTPUT_SLACK_S = 60.0
FALLBACK_OUTPUT = "fallback_output"

Shape = Callable[[Found, int], Speech]


class Performance:
    """Plays an announcement in one zone; ``run`` returns how it ended there."""

    def __init__(
        self,
        announcement: Announcement,
        zone: str,
        outputs: Sequence[Output],
        fallback: Output | None,
        *,
        parts: Parts,
        shape: Shape,
        clock: Clock,
        on_sound: Callable[["Performance"], None],
        from_part: int = 0,
    ) -> None:
        """``shape(found, n)`` makes part n ready for this zone; ``on_sound`` is called once,
        when the first sample left."""
        self.announcement = announcement
        self.zone = zone
        self.part = from_part
        self.account = Account(began_at=clock.monotonic())
        self.failed_outputs: dict[Output, str] = {}
        self.outputs = outputs
        self._fallback = fallback
        self._parts = parts
        self._shape = shape
        self._clock = clock
        self._on_sound = on_sound
        self._sessions: dict[Output, OutputSession] = {}
        self._sounded = False
        self._deadline_at: float | None = None
        self._held_at: float | None = None

    @property
    def deadline_at(self) -> float | None:
        """When its outputs must have done what they do now; None while they wait."""
        return None if self._held_at is not None else self._deadline_at

    @property
    def is_held(self) -> bool:
        """Whether a pause holds it."""
        return self._held_at is not None

    @property
    def is_open(self) -> bool:
        """Whether some output has begun."""
        return bool(self._sessions)

    async def run(self) -> ZoneResult:
        """Play part after part; an output that fails is left behind, the others go on.

        Raises EngineFailure where a part could not be made.
        """
        first_part = self.part
        for number in range(first_part, self.announcement.parts):
            self.part = number
            found = await self._parts.part(number)
            if not self._sounded and self._clock.monotonic() >= self.announcement.expires_at:
                return ZoneResult(EventType.EXPIRED, "expired")
            self.account.add(found)
            speech = self._shape(found, number)
            self._expect(speech.duration_s)
            if not await self._deliver(speech, number):
                return self._lost()
            self._deadline_at = None
        self._expect(self.account.audio_s)
        await self._each(lambda session: session.drain())
        if not self._sessions and not await self._deliver(speech, self.part):
            return self._lost()
        return ZoneResult(EventType.FINISHED)

    async def stop(self) -> None:
        """Fade out and close what is open."""
        sessions = list(self._sessions.values())
        self._sessions.clear()
        await asyncio.gather(*(session.stop(FADE_S) for session in sessions))

    async def hold(self, paused: bool) -> None:
        """Pause or go on."""
        now = self._clock.monotonic()
        if paused:
            self._held_at = now
        elif self._held_at is not None:
            if self._deadline_at is not None:
                self._deadline_at += now - self._held_at
            self._held_at = None
        await asyncio.gather(*(session.hold(paused) for session in self._sessions.values()))

    def _expect(self, sound_s: float) -> None:
        self._deadline_at = self._clock.monotonic() + sound_s + OUTPUT_SLACK_S

    async def _deliver(self, speech: Speech, number: int) -> bool:
        """Write to what is open, opening it first; the fallback output is the last resort."""
        if not self._sessions:
            await self._open([o for o in self.outputs if o not in self.failed_outputs], number)
        await self._write(speech, number)
        if self._sessions or self._fallback is None or self._fallback in self.failed_outputs:
            return bool(self._sessions)
        self.account.degraded = self.account.degraded or FALLBACK_OUTPUT
        await self._open([self._fallback], number)
        await self._write(speech, number)
        return bool(self._sessions)

    async def _open(self, outputs: Sequence[Output], first_part: int) -> None:
        rendering = self.announcement.rendering
        programme = Programme(
            id=self.announcement.id,
            zone=self.zone,
            parts=self.announcement.parts - first_part,
            expires_at=self.announcement.expires_at,
            format=rendering.format,
            rate_hz=rendering.rate_hz,
            chunk_bytes=rendering.chunk_bytes,
            urgent=self.announcement.priority >= CLASSES["urgent"],
        )
        for output in outputs:
            await self._open_one(output, programme)

    async def _open_one(self, output: Output, programme: Programme) -> None:
        try:
            session = await output.open(programme)
            session.playback.on_first_audio = self._begin
            self._sessions[output] = session
        except OutputFailure as error:
            self._fail(output, error)

    async def _write(self, speech: Speech, number: int) -> None:
        last = number == self.announcement.parts - 1
        await self._each(lambda session: session.write(speech, last=last))
        if self._sessions:
            self._begin(self._clock.monotonic())

    def _begin(self, at: float) -> None:
        """Tell of the first sample while its part is still being played."""
        if not self._sounded:
            self._sounded = True
            self.account.first_audio_at = at
            self._on_sound(self)

    async def _each(self, act: Callable[[OutputSession], Awaitable[None]]) -> None:
        outputs = list(self._sessions)
        if len(outputs) == 1:
            await self._alone(outputs[0], act)
            return
        results = await asyncio.gather(
            *(act(self._sessions[output]) for output in outputs),
            return_exceptions=True,
        )
        for output, result in zip(outputs, results, strict=True):
            if isinstance(result, CosyedgeError):
                await self._leave_behind(output, result)
            elif isinstance(result, BaseException):
                raise result

    async def _alone(self, output: Output, act: Callable[[OutputSession], Awaitable[None]]) -> None:
        """One output needs no task of its own."""
        try:
            await act(self._sessions[output])
        except CosyedgeError as error:
            await self._leave_behind(output, error)

    async def _leave_behind(self, output: Output, error: CosyedgeError) -> None:
        session = self._sessions.pop(output, None)
        self._fail(output, error)
        if session is not None:
            await session.stop(0.0)

    def _fail(self, output: Output, error: CosyedgeError) -> None:
        self.failed_outputs[output] = error.code
        self.account.outputs_failed[output.name] = error.code

    def _lost(self) -> ZoneResult:
        codes = list(self.account.outputs_failed.values())
        if codes and codes[-1] == "expired":
            return ZoneResult(EventType.EXPIRED, "expired")
        return ZoneResult(EventType.FAILED, codes[-1] if codes else "device_missing")
