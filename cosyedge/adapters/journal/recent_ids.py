"""The ids of the last day, kept in memory by the monotonic clock."""

from collections.abc import Iterable

from cosyedge.service.ports import Clock

DAY_S = 86_400.0
MAX_IDS = 50_000
# A time of arrival before this (2024-01-01) was taken from a clock that was not set yet.
UNSET_CLOCK_BEFORE_S = 1_704_067_200.0


class RecentIds:
    """Whether an id was accepted in the last 24 h; the last 50,000 are kept.

    Steps of the wall clock change nothing while the daemon runs. After a restart an arrival in
    the future, or from before the clock was set, counts as just now: rather known too long.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._came_at: dict[str, float] = {}

    def __contains__(self, id: str) -> bool:
        came_at = self._came_at.get(id)
        return came_at is not None and self._clock.monotonic() - came_at < DAY_S

    def add(self, id: str) -> None:
        """Know an id from now on; the oldest give way."""
        now = self._clock.monotonic()
        self._came_at.pop(id, None)
        self._came_at[id] = now
        oldest = next(iter(self._came_at))
        while len(self._came_at) > MAX_IDS or now - self._came_at[oldest] >= DAY_S:
            del self._came_at[oldest]
            oldest = next(iter(self._came_at))

    def forget(self, id: str) -> None:
        """Unlearn an id whose row was never kept."""
        self._came_at.pop(id, None)

    def load(self, arrivals: Iterable[tuple[str, float]]) -> None:
        """Learn ids with their wall-clock arrivals, oldest first."""
        wall, now = self._clock.wall(), self._clock.monotonic()
        for id, received_at in arrivals:
            age_s = wall - received_at
            if received_at < UNSET_CLOCK_BEFORE_S or age_s < 0:
                age_s = 0.0
            if age_s < DAY_S:
                self._came_at[id] = now - age_s
