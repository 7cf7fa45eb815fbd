"""Floods: refusals that come by the thousand make one line of the log, not one each."""

import logging
import time
from collections import Counter
from collections.abc import Callable

log = logging.getLogger(__name__)

#: Codes of refusals that a flood of messages causes.
FLOODS = frozenset({"queue_full", "rate_limited", "overloaded"})
SUMMARY_S = 10.0


class Floods:
    """Counts refusals by code, and sums them up every 10 s while there are any."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._counts: Counter[str] = Counter()
        self._due_at = 0.0

    def count(self, code: str | None) -> bool:
        """Count a refusal; False where its code is none of a flood's."""
        if code not in FLOODS:
            return False
        if not self._counts:
            self._due_at = self._monotonic() + SUMMARY_S
        self._counts[code] += 1
        return True

    def due_in_s(self) -> float | None:
        """Seconds until the next line is due; None while there is nothing to tell."""
        return max(0.0, self._due_at - self._monotonic()) if self._counts else None

    def sum_up(self) -> None:
        """Write the line, if it is due."""
        if not self._counts or self._monotonic() < self._due_at:
            return
        counts = ", ".join(f"{count} {code}" for code, count in self._counts.items())
        log.warning("messages refused: %s", counts, extra={"COSYEDGE_EVENT": "flood"})
        self._counts.clear()
