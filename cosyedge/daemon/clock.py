"""The clock that the daemon hands to all its parts."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, Protocol
from zoneinfo import ZoneInfo

import cosyedge
from cosyedge.core.policy import UNKNOWN_MINUTE
from cosyedge.service.ports import Clock
from cosyedge.service.timekeeper import SLACK_S, Timekeeper

#: Where the package's files are older than any clock that runs it (2024-01-01).
EARLIEST_S = 1_704_067_200.0


class SystemClock:
    """Satisfies service.ports.Clock; its monotonic time is the event loop's."""

    wall_source: ClassVar[Callable[[], float]] = time.time

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970."""
        return type(self).wall_source()


class Ended(Protocol):
    """A line of history; ``ended_at`` in wall-clock seconds."""

    @property
    def ended_at(self) -> float: ...


class History(Protocol):
    """What the journal knows of earlier times."""

    def history(self, since: float = 0.0, limit: int = 100) -> Sequence[Ended]:
        """What ended, the last one first."""
        ...


def timekeeper(clock: Clock, journal: History) -> Timekeeper:
    """Watch the clock: no time is right from before this package was, or the last row."""
    last = [row.ended_at - SLACK_S for row in journal.history(0.0, 1)]
    return Timekeeper(clock.wall, since_boot, not_before=max(put_here_at(), *last, EARLIEST_S))


def put_here_at() -> float:
    """When this package was released, or put here if its files say something earlier."""
    released = datetime.fromisoformat(cosyedge.__released__).replace(tzinfo=UTC).timestamp()
    return min(released, Path(cosyedge.__file__).stat().st_mtime)


def since_boot() -> float:
    """Seconds that only grow, also while the box sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def minute_of_day(clock: Clock, keeper: Timekeeper, timezone: str) -> Callable[[], int]:
    """The minute of the day by the node's wall clock, 0 to 1439; UNKNOWN_MINUTE where that is
    not set. An empty zone is the box's."""
    zone = ZoneInfo(timezone) if timezone else None

    def minute() -> int:
        if keeper.is_unset:
            return UNKNOWN_MINUTE
        now = datetime.fromtimestamp(clock.wall(), zone).astimezone(zone)
        return now.hour * 60 + now.minute

    return minute
