"""What is told about an announcement, and which of it is an end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class EventType(StrEnum):
    """The word in an event's ``event_type``."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"
    COALESCED = "coalesced"
    STARTED = "started"
    INTERRUPTED = "interrupted"
    RESUMED = "resumed"
    FINISHED = "finished"
    PARTIAL = "partial"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPPRESSED = "suppressed"
    FAULT_RAISED = "fault_raised"
    FAULT_CLEARED = "fault_cleared"


TERMINAL = frozenset(
    {
        EventType.FINISHED,
        EventType.PARTIAL,
        EventType.FAILED,
        EventType.EXPIRED,
        EventType.CANCELLED,
        EventType.SUPPRESSED,
    }
)


@dataclass(frozen=True, slots=True)
class ZoneResult:
    """How an announcement ended in one zone; ``reason`` is a code where it was not finished."""

    outcome: EventType
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One fact about one announcement (or about a fault, whose id is the fault's name).

    ``details`` holds what only some events have: cached, degraded, capped_by, warnings,
    timings, audio, message, field, class, replay_of, into.
    """

    type: EventType
    id: str | None
    reason: str | None = None
    zones: Mapping[str, ZoneResult] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_end(self) -> bool:
        """Whether it ends an accepted id."""
        return self.type in TERMINAL
