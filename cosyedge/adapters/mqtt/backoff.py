"""How long to wait before the next attempt, and when a client id is fought over."""

from collections.abc import Callable
from dataclasses import dataclass

QUICK_S = 5.0
QUICK_LOSSES = 3


@dataclass(slots=True)
class Backoff:
    """Doubles from ``min_s`` to ``max_s``; ``chance`` returns 0 to 1 and spreads a fleet."""

    min_s: float
    max_s: float
    chance: Callable[[], float]
    _failures: int = 0
    _quick_losses: int = 0

    def next_s(self) -> float:
        """Seconds to wait now: between half and all of the doubled pause, never under min_s."""
        pause = min(self.max_s, self.min_s * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return max(self.min_s, pause * (0.5 + self.chance() / 2))

    def lost_after(self, lived_s: float) -> None:
        """Note that a connection ended ``lived_s`` seconds after its CONNACK."""
        if lived_s > QUICK_S:
            self._failures = self._quick_losses = 0
        else:
            self._quick_losses += 1

    def unreachable(self) -> None:
        """Note that no broker answered: what ended before was its restart, not a contest."""
        self._quick_losses = 0

    @property
    def is_contested(self) -> bool:
        """Whether so many connections in a row ended quickly that another client must have
        taken our id."""
        return self._quick_losses >= QUICK_LOSSES
