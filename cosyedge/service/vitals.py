"""Vitals: whether each part moved lately. WATCHDOG=1 is earned here, and only here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cosyedge.service.ports import Clock


@dataclass(frozen=True, slots=True)
class Pulse:
    """A part's sign of life. Times are monotonic seconds.

    ``waits_by_design`` is for a part that stands still on purpose, such as a back-off.
    ``deadline_at`` is set while it is inside something that may take long.
    """

    progressed_at: float
    deadline_at: float | None = None
    waits_by_design: bool = False


class Vitals:
    """Asks every part for its pulse."""

    def __init__(self, clock: Clock, *, period_s: float) -> None:
        """A part that has not moved for ``period_s`` is stuck."""
        self._clock = clock
        self._period_s = period_s
        self._pulses: dict[str, Callable[[], Pulse]] = {}

    def watch(self, part: str, pulse: Callable[[], Pulse]) -> None:
        """Ask ``pulse`` for the state of ``part`` from now on."""
        self._pulses[part] = pulse

    def forget(self, part: str) -> None:
        """Stop asking."""
        self._pulses.pop(part, None)

    def stuck(self) -> Mapping[str, float]:
        """The parts that do not move, with the seconds since they last did."""
        now = self._clock.monotonic()
        return {
            part: now - pulse.progressed_at
            for part, pulse in ((part, ask()) for part, ask in self._pulses.items())
            if not self._lives(pulse, now)
        }

    def _lives(self, pulse: Pulse, now: float) -> bool:
        if pulse.waits_by_design:
            return True
        if pulse.deadline_at is not None and now <= pulse.deadline_at:
            return True
        return now - pulse.progressed_at <= self._period_s
