"""One programme on one player: parts go in as the device takes them, and can be cut."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from cosyedge.adapters.encoding import Pcm, from_pcm, to_pcm
from cosyedge.adapters.player_command import PlayerCommand
from cosyedge.adapters.player_process import PlayerProcess
from cosyedge.adapters.resample import resampled
from cosyedge.core.errors import OutputFailure
from cosyedge.core.shaping import fade_in, fade_out, joined, lead_in, with_low_tone
from cosyedge.core.speech import Samples, Speech
from cosyedge.service.ports import Playback

Fade: TypeAlias = Callable[[Samples, int, float], Samples]

# The grain of a pause or a cut.
_PIECE_S: Final = 0.02
_PAUSE_FADE_S: Final = 0.02
# Two pages hold 85 ms at 48 kHz, one holds 85 ms at 24 kHz: enough for a loop that is late.
_PIPE_S: Final = 0.085
_PAGE_BYTES: Final = 4096
# What a sound server may need to report the end of the last sample (PulseAudio: 2 s).
_DRAIN_S: Final = 2.5
_CUT_TAIL_S: Final = 0.06
_CUT_GRACE_S: Final = 0.3
_POLL_S: Final = 0.02
# Longer parts are made ready in a thread.
_INLINE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What of a player's settings a programme needs; ``rate_hz`` None: the first part's."""

    rate_hz: int | None
    lead_in_s: float
    keep_awake: bool
    stuck_s: float


class PlayerSession:
    """Satisfies service.ports.OutputSession."""

    def __init__(
        self, command: PlayerCommand, settings: SessionSettings, monotonic: Callable[[], float]
    ) -> None:
        """Start nothing yet: the player starts with the first part."""
        self.playback = Playback()
        self._command = command
        self._settings = settings
        self._monotonic = monotonic
        self._rate_hz = settings.rate_hz or 0
        self._process: PlayerProcess | None = None
        self._rest: Pcm = np.zeros(0, dtype=np.int16)
        self._frames = 0
        self._sounds_until = 0.0
        self._feeding = asyncio.Lock()
        self._going = asyncio.Event()
        self._going.set()
        self._stopped = False

    @property
    def is_sounding(self) -> bool:
        """Whether a player runs."""
        return self._process is not None and not self._process.has_ended

    async def write(self, speech: Speech, *, last: bool) -> None:  # noqa: ARG002 - the port's
        """Hand a part over as fast as the device takes it; returns when all is handed over.

        Raises OutputFailure: device_missing, device_busy, device_lost, device_stuck. After
        ``stop`` it does nothing.
        """
        process = self._process or await self._start(speech.rate_hz)
        ready = partial(_prepared, speech, self._rate_hz, self._lead_s(), self._tone_from())
        long = speech.duration_s > _INLINE_S
        self._rest = await asyncio.to_thread(ready) if long else ready()
        try:
            async with self._feeding:
                await self._feed(process)
        except OutputFailure:
            await process.end()
            if not self._stopped:
                raise

    async def drain(self) -> None:
        """Return when the player has played all and ended. Raises OutputFailure."""
        process = self._process
        if process is None or self._stopped:
            return
        try:
            await self._finish(process)
        except OutputFailure:
            await process.end()
            if not self._stopped:
                raise
        await process.end()
        self.playback.played_s = self._frames / self._rate_hz

    async def stop(self, fade_s: float) -> None:
        """Fade out what the player has not read, let the device play it, then end the player.

        The sound ends ``fade_s`` after what the device's buffer holds.
        """
        was_held = not self._going.is_set()
        self._stopped = True
        self._going.set()
        process = self._process
        if process is None:
            return
        process.interrupt()
        buffer_s = self._command.buffer_ms / 1000
        try:
            async with asyncio.timeout(fade_s + buffer_s + _CUT_GRACE_S), self._feeding:
                if not was_held:
                    await self._fade_rest(process, fade_s)
                await self._empty_pipe(process)
                process.close_input()
                await process.ended(buffer_s + _CUT_TAIL_S)
        except (OutputFailure, TimeoutError):
            pass
        finally:
            await process.end()

    async def hold(self, paused: bool) -> None:
        """Pause or go on, with a short fade; what the device holds still sounds."""
        if paused:
            self._going.clear()
            if self._process is not None:
                self._process.interrupt()
        else:
            self._going.set()

    async def _start(self, rate_hz: int) -> PlayerProcess:
        self._rate_hz = self._rate_hz or rate_hz
        pages = 1 if 2 * self._rate_hz * _PIPE_S <= _PAGE_BYTES else 2
        argv = self._command.at_rate(self._rate_hz)
        self._process = await PlayerProcess.start(argv, pages * _PAGE_BYTES)
        return self._process

    async def _finish(self, process: PlayerProcess) -> None:
        await self._empty_pipe(process)
        process.close_input()
        if not await process.ended(self._left_s() + _DRAIN_S):
            raise OutputFailure("device_stuck", "the player does not come to an end")
        if process.failed:
            raise await process.failure()

    def _left_s(self) -> float:
        """How long what was handed over goes on sounding."""
        return max(0.0, self._sounds_until - self._monotonic())

    def _lead_s(self) -> float:
        return 0.0 if self._frames else self._settings.lead_in_s

    def _tone_from(self) -> int | None:
        return self._frames if self._settings.keep_awake else None

    async def _feed(self, process: PlayerProcess) -> None:
        begun = False
        while len(self._rest) and not self._stopped:
            if not self._going.is_set():
                await self._pause(process, begun=begun)
                continue
            await self._hand_over(process)
            begun = True

    async def _hand_over(self, process: PlayerProcess) -> None:
        """Hand over the next piece; a cancellation in here loses none of it."""
        piece = self._rest[: max(1, round(_PIECE_S * self._rate_hz))]
        frames = await self._accept(process, piece)
        self._rest = self._rest[frames:]

    async def _accept(self, process: PlayerProcess, piece: Pcm) -> int:
        """Give the player of ``piece`` what it takes, in frames; keep the play clock."""
        accepted = await process.accept(piece.data.cast("B"), self._settings.stuck_s)
        frames = accepted // piece.itemsize
        now = self._monotonic()
        if self.playback.first_audio_at is None and process.has_taken_some:
            self.playback.begin(now)
        self._frames += frames
        self._sounds_until = max(self._sounds_until, now) + frames / self._rate_hz
        waiting_s = self._sounds_until - now
        self.playback.played_s = max(0.0, self._frames / self._rate_hz - waiting_s)
        return frames

    async def _pause(self, process: PlayerProcess, *, begun: bool) -> None:
        frames = round(_PAUSE_FADE_S * self._rate_hz)
        if begun:
            self._take_back(process)
            # What fades away is not used up: it comes again, faded in.
            await self._accept(process, self._faded(self._rest[:frames], fade_out))
        await self._going.wait()
        if begun and not self._stopped:
            opening = self._faded(self._rest[:frames], fade_in)
            self._rest = np.concatenate([opening, self._rest[frames:]])

    async def _fade_rest(self, process: PlayerProcess, fade_s: float) -> None:
        self._take_back(process)
        self._rest = self._faded(self._rest[: round(fade_s * self._rate_hz)], fade_out)
        while len(self._rest):
            await self._hand_over(process)

    def _take_back(self, process: PlayerProcess) -> None:
        """Have again what lies in the pipe, so that a pause or a cut need not wait for it."""
        unread = np.frombuffer(process.take_back(), dtype="<i2")
        self._frames -= len(unread)
        self._sounds_until -= len(unread) / self._rate_hz
        self._rest = np.concatenate([unread, self._rest])

    def _faded(self, pcm: Pcm, fade: Fade) -> Pcm:
        return to_pcm(fade(from_pcm(pcm), self._rate_hz, len(pcm) / self._rate_hz))

    async def _empty_pipe(self, process: PlayerProcess) -> None:
        """Wait until the player took what the pipe holds, as long as it takes some."""
        unread, since = process.unread_bytes(), self._monotonic()
        while unread and not await process.ended(_POLL_S):
            left, now = process.unread_bytes(), self._monotonic()
            if left < unread:
                unread, since = left, now
            elif now - since > self._settings.stuck_s:
                raise OutputFailure("device_stuck", "the player does not take the last samples")
        if unread and process.has_ended:
            raise await process.failure()
        self.playback.begin(self._monotonic())


def _prepared(speech: Speech, rate_hz: int, lead_s: float, tone_from: int | None) -> Pcm:
    """A part at the player's rate, after its lead-in, over the low tone if there is one."""
    speech = resampled(speech, rate_hz)
    if lead_s > 0:
        speech = joined([lead_in(lead_s, rate_hz), speech])
    if tone_from is not None:
        speech = with_low_tone(speech, tone_from)
    return to_pcm(speech.samples)
