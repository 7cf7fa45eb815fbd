"""The time that sent audio takes to sound, with pauses and a cut."""

import asyncio
from collections.abc import Callable

from cosyedge.adapters.mqtt_clips import Profile


class Pace:
    """Waits until sound is due or over; without ``realtime`` it never waits."""

    def __init__(self, profile: Profile, *, realtime: bool, now: Callable[[], float]) -> None:
        self.now = now
        self.is_stopped = False
        self._profile = profile
        self._is_realtime = realtime
        self._begun_at: float | None = None
        self._silent_at = 0.0
        self._held_at: float | None = None
        self._changed = asyncio.Event()

    def sent(self, at: float, duration_s: float) -> None:
        """So much sound left at ``at``; it follows what sounds already."""
        if self._begun_at is None:
            self._begun_at = at
        self._silent_at = max(self._silent_at, at) + duration_s

    def played_s(self, sent_s: float) -> float:
        """How much of the sound sent has sounded by now; without a pace, all of it."""
        if self._begun_at is None:
            return 0.0
        if not self._is_realtime:
            return sent_s
        return max(0.0, sent_s - max(0.0, self._silent_at - (self._held_at or self.now())))

    def hold(self, *, paused: bool) -> None:
        """Stop the time, or let it go on."""
        if paused and self._held_at is None:
            self._held_at = self.now()
        elif not paused and self._held_at is not None:
            held_s = self.now() - self._held_at
            self._held_at = None
            self._silent_at += held_s
            if self._begun_at is not None:
                self._begun_at += held_s
        self._changed.set()

    def stop(self) -> None:
        """Nobody waits any longer."""
        self.is_stopped = True
        self._changed.set()

    async def until_due(self, sent_s: float) -> None:
        """Wait until a chunk that begins ``sent_s`` after the first one is to leave."""
        lead_s = max(0.0, sent_s - self._profile.head_start_s) / self._profile.speedup
        await self._until(lambda: (self._begun_at or 0.0) + lead_s)

    async def until_silent(self, before_s: float) -> None:
        """Wait until ``before_s`` before the end of what was sent."""
        await self._until(lambda: self._silent_at - before_s)

    async def _until(self, moment: Callable[[], float]) -> None:
        while self._is_realtime and not self.is_stopped:
            left_s = None if self._held_at is not None else moment() - self.now()
            if left_s is not None and left_s <= 0:
                return
            self._changed.clear()
            try:
                async with asyncio.timeout(left_s):
                    await self._changed.wait()
            except TimeoutError:
                continue
