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
    ) -> None:
        """``timezone`` is a name such as Europe/Berlin; None means the system's."""
        self._entries = entries
        self._clock = clock
        self._zone = ZoneInfo(timezone) if timezone else None
        self._say = say

    async def run(self) -> None:
        """Speak at the hours until cancelled."""
        since = self._now()
        while True:
            now = self._now()
            due = [e for e in self._entries if self._is_due(e, since, now)]
            for entry in due:
                log.info("schedule: %s", entry.name)
                await self._say(entry)
            since = now
            await asyncio.sleep(self._pause_s(now))

    def _is_due(self, entry: ScheduleEntry, since: datetime, now: datetime) -> bool:
        instant = next_time(entry, since)
        return instant is not None and instant <= now and (now - instant).total_seconds() < LATE_S

    def _pause_s(self, now: datetime) -> float:
        instants = [i for e in self._entries if (i := next_time(e, now)) is not None]
        until = min(((i - now).total_seconds() for i in instants), default=LONGEST_SLEEP_S)
        return min(max(until, 0.05), LONGEST_SLEEP_S)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.wall(), self._zone).astimezone(self._zone)
