"""The timekeeper: whether the wall clock can be believed.

A box without a battery for its clock begins at some hour of the past; one whose clock was set
by hand, or by a time server that is wrong, jumps. Deadlines don't mind: they use the monotonic
clock. Quiet hours and the schedule do.
"""

from collections.abc import Callable

#: A clock that goes by less than this against the steady one is being slewed, not stepped.
JUMP_S = 60.0
#: A stepped clock that has gone on so long is believed: a step is most often a correction.
CALM_S = 600.0
#: Rows may be so much newer than the clock: it is set back a little by time servers.
SLACK_S = 300.0


class Timekeeper:
    """Compares the wall clock with what it cannot be, and with a clock that nobody sets."""

    def __init__(
        self, wall: Callable[[], float], steady: Callable[[], float], *, not_before: float
    ) -> None:
        """``wall`` gives seconds since 1970, ``steady`` seconds that only grow, also while the
        box sleeps; no moment before ``not_before`` can be now."""
        self._wall = wall
        self._steady = steady
        self._not_before = not_before
        self._believed: float | None = None
        self._stepped_to: float | None = None
        self._stepped_at = 0.0

    @property
    def is_unset(self) -> bool:
        """Whether nobody can know the hour: it is earlier than it can be."""
        return self._wall() < self._not_before

    def fault(self) -> str | None:
        """clock_unset, clock_jumped or None; to be asked every second or so."""
        wall, steady = self._wall(), self._steady()
        if wall < self._not_before:
            return "clock_unset"
        offset = wall - steady
        if self._believed is None or abs(offset - self._believed) <= JUMP_S:
            self._believed, self._stepped_to = offset, None
            return None
        if self._stepped_to is None or abs(offset - self._stepped_to) > JUMP_S:
            self._stepped_to, self._stepped_at = offset, steady
        if steady - self._stepped_at < CALM_S:
            return "clock_jumped"
        self._believed, self._stepped_to = offset, None
        return None
