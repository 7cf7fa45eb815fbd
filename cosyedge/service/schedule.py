"""The box's own schedule: it speaks at its hours with no broker and no network."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim

from cosyedge.service.ports import Clock
from cosyedge.service.settings import ScheduleEntry

log = logging.getLogger(__name__)

#: A clock that was stepped is noticed within this time.
LONGEST_SLEEP_S = 30.0
#: An hour that passed while the box slept or its clock was wrong is not made up for.
LATE_S = 60.0


def next_time(entry: ScheduleEntry, after: datetime) -> datetime | None:
    """The next instant of ``entry`` after ``after`` (aware), skipping its excepted days."""
    for instant in CronSim(entry.cron, after):
        # In the second of two equal hours, cronsim may give an instant of the first.
        if instant.timestamp() <= after.timestamp():
            continue
        if instant.date().isoformat() not in entry.except_days:
            return instant
    return None


class Schedule:
    """Waits for each entry's hour and hands its entry over."""

    def __init__(
        self,
        entries: tuple[ScheduleEntry, ...],
        clock: Clock,
        *,
        timezone: str | None,
        say: Callable[[ScheduleEntry], Awaitable[None]],
        is_unset: Callable[[], bool] = lambda: False,
    ) -> None:
        """``timezone`` is a name such as Europe/Berlin; None means the system's.

        ``is_unset`` says that the clock shows no hour to go by: nothing is spoken at one.
        """
        self._entries = entries
        self._clock = clock
        self._zone = ZoneInfo(timezone) if timezone else None
        self._say = say
        self._is_unset = is_unset

    async def run(self) -> None:
        """Speak at the hours until cancelled."""
        since = self._clock.wall()
        while True:
            now = self._clock.wall()
            for entry in [] if self._is_unset() else self.due(since, now):
                log.info("schedule: %s", entry.name)
                await self._say(entry)
            # A clock that was set back a little does not ring the same bell again.
            since = now if since - now > LATE_S else max(since, now)
            await asyncio.sleep(self._pause_s(now))

    def due(self, since: float, now: float) -> list[ScheduleEntry]:
        """The entries whose hour lies after ``since`` and not after ``now`` (seconds since 1970).

        Seconds, not local times, are compared: those of one zone compare without their fold.
        """
        return [entry for entry in self._entries if self._is_due(entry, since, now)]

    def _is_due(self, entry: ScheduleEntry, since: float, now: float) -> bool:
        instant = next_time(entry, self._local(max(since, now - LATE_S)))
        return instant is not None and instant.timestamp() <= now

    def _pause_s(self, now: float) -> float:
        here = self._local(now)
        instants = [i for e in self._entries if (i := next_time(e, here)) is not None]
        until = min((i.timestamp() - now for i in instants), default=LONGEST_SLEEP_S)
        return min(max(until, 0.05), LONGEST_SLEEP_S)

    def _local(self, at: float) -> datetime:
        return datetime.fromtimestamp(at, self._zone).astimezone(self._zone)
