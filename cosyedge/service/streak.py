"""Whether speech fails again and again: the worker lives, answers pings, and makes no sound."""

from cosyedge.core.errors import EngineFailure

#: Two of them are one announcement and its second try, which its own event tells.
IN_A_ROW = 3


class FailureStreak:
    """Counts syntheses of an engine without a fault that failed in a row, of any text and voice."""

    def __init__(self) -> None:
        self._count = 0
        self._code = ""

    def failed(self, failure: EngineFailure) -> None:
        """Note a synthesis that failed; one that was cancelled is none."""
        self._count += 1
        self._code = failure.code

    def succeeded(self) -> None:
        """Note speech that was made: whatever it was is over."""
        self._count = 0

    def code(self) -> str | None:
        """Why the last ones failed, once they are so many."""
        return self._code if self._count >= IN_A_ROW else None
