"""What the dispatcher decides: start, cut, tell. The service carries it out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cosyedge.core.announcement import Announcement
from cosyedge.core.events import EventType, ZoneResult


@dataclass(frozen=True, slots=True)
class Start:
    """Play ``announcement`` in ``zones`` now, from part ``from_part`` on.

    ``round`` counts repetitions from 0. ``caps`` holds, for zones where quiet hours lower it,
    the most volume (0 to 1) it may have there.
    """

    announcement: Announcement
    zones: tuple[str, ...]
    from_part: int = 0
    round: int = 0
    caps: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """Fade out what plays of ``id`` in ``zones``; the service reports back with ``stopped``."""

    id: str
    zones: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Hold:
    """Pause (or go on with) what plays in the zone at this moment, keeping its place.

    A later Start in the zone is not held: only an emergency is started in a paused one.
    """

    zone: str
    paused: bool


@dataclass(frozen=True, slots=True)
class Tell:
    """Publish an event; an end carries the result of every zone."""

    type: EventType
    announcement: Announcement
    reason: str | None = None
    zones: Mapping[str, ZoneResult] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


Decision: TypeAlias = Start | Cut | Hold | Tell
