"""The clock that the daemon hands to all its parts."""

import time
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo


class SystemClock:
    """Satisfies service.ports.Clock; its monotonic time is the event loop's."""

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970."""
        return time.time()


def minute_of_day(wall: Callable[[], float], timezone: str) -> Callable[[], int]:
    """The minute of the day by the node's wall clock, 0 to 1439; an empty zone is the box's."""
    zone = ZoneInfo(timezone) if timezone else None

    def minute() -> int:
        now = datetime.fromtimestamp(wall(), zone).astimezone(zone)
        return now.hour * 60 + now.minute

    return minute
