"""The box and its service manager, and time itself."""

from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """Time, as an argument."""

    def monotonic(self) -> float:
        """Seconds that only grow; deadlines are kept in these."""
        ...

    def wall(self) -> float:
        """Seconds since 1970; for people and for what must survive a restart."""
        ...


class Notifier(Protocol):
    """The service manager."""

    def ready(self, status: str) -> None:
        """READY=1 with a status line."""
        ...

    def status(self, text: str) -> None:
        """STATUS=."""
        ...

    def watchdog(self) -> None:
        """WATCHDOG=1: call only when it is earned."""
        ...

    def reloading(self) -> None:
        """RELOADING=1."""
        ...

    def stopping(self) -> None:
        """STOPPING=1."""
        ...

    def extend_timeout(self, seconds: float) -> None:
        """EXTEND_TIMEOUT_USEC."""
        ...

    @property
    def watchdog_period_s(self) -> float | None:
        """How often WATCHDOG=1 is due, or None where nobody waits for it."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """Bytes: ours, the workers', what the system still has, and what it has in all."""

    supervisor_bytes: int
    available_bytes: int
    total_bytes: int


class Memory(Protocol):
    """The box's memory."""

    def read(self) -> MemoryReading:
        """One reading."""
        ...
