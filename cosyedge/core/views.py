"""The queue as others see it: for state, health and request/queue."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from cosyedge.core.job import Job, Stage, Zone
from cosyedge.core.ledger import Ledger


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One open announcement; ``stages`` holds waiting, playing, cutting, resting or done by zone.

    ``part`` is the furthest that plays or comes next; ``expires_at`` is in monotonic seconds.
    """

    id: str
    class_name: str
    priority: int
    stages: Mapping[str, str]
    part: int
    expires_at: float
    size_bytes: int


@dataclass(frozen=True, slots=True)
class QueueView:
    """What plays (id by zone, None where silent), what is open, and how much waits."""

    playing: Mapping[str, str | None]
    paused: frozenset[str]
    items: tuple[QueueItem, ...]
    waiting: Mapping[str, int]
    waiting_bytes: int


@dataclass(frozen=True, slots=True)
class Glance:
    """The same without its items: what plays, how many are open, how many wait by class."""

    playing: Mapping[str, str | None]
    paused: frozenset[str]
    open: int
    waiting: Mapping[str, int]


def glance(zones: Mapping[str, Zone], ledger: Ledger) -> Glance:
    """Draw the small picture; it costs the same however much waits."""
    return Glance(
        playing=_playing(zones),
        paused=_paused(zones),
        open=len(ledger),
        waiting=dict(+ledger.backlog.by_class),
    )


def view(zones: Mapping[str, Zone], ledger: Ledger) -> QueueView:
    """Draw the picture; ``items`` stand in the order of priority, then of arrival."""
    jobs = sorted(ledger, key=lambda job: (-job.announcement.priority, job.seq))
    waiting = Counter(job.announcement.class_name for job in jobs if not job.active)
    return QueueView(
        playing=_playing(zones),
        paused=_paused(zones),
        items=tuple(_item(job) for job in jobs),
        waiting=waiting,
        waiting_bytes=ledger.backlog.bytes,
    )


def _playing(zones: Mapping[str, Zone]) -> Mapping[str, str | None]:
    return {name: zone.leg.announcement.id if zone.leg else None for name, zone in zones.items()}


def _paused(zones: Mapping[str, Zone]) -> frozenset[str]:
    return frozenset(name for name, zone in zones.items() if zone.paused)


def _item(job: Job) -> QueueItem:
    announcement = job.announcement
    legs = [leg for leg in job.legs.values() if leg.stage is not Stage.DONE]
    return QueueItem(
        id=announcement.id,
        class_name=announcement.class_name,
        priority=announcement.priority,
        stages={name: leg.stage.name.lower() for name, leg in job.legs.items()},
        part=max((leg.part for leg in legs), default=0),
        expires_at=min((leg.expires_at for leg in legs), default=announcement.expires_at),
        size_bytes=announcement.size_bytes,
    )
