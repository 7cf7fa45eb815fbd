"""An accepted announcement on its way: one leg a zone, until every leg has its result."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from cosyedge.core.announcement import Announcement
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.line import Line
from cosyedge.core.policy import ZoneRules
from cosyedge.core.precedence import Place, place


class Stage(Enum):
    """Where a leg stands. RESTING lies between two rounds; CUTTING waits for the fade's end."""

    WAITING = auto()
    PLAYING = auto()
    CUTTING = auto()
    RESTING = auto()
    DONE = auto()


@dataclass(slots=True, eq=False)
class Zone:
    """A zone as it is now: its rules, what holds it, and who waits for it."""

    name: str
    rules: ZoneRules
    paused: bool = False
    gone: bool = False
    leg: "Leg | None" = None
    line: "Line[Leg, Place]" = field(default_factory=Line)


@dataclass(slots=True, eq=False)
class Leg:
    """One announcement in one zone. Times are monotonic seconds.

    ``rounds`` counts those heard to their end, ``part`` is where the next start begins.
    ``verdict`` is what a leg that is being cut becomes; None: it waits to go on.
    ``due_at`` of a resting leg is None while its companions still speak.
    ``held_until`` is when a pause that goes on ends it; None: it is not held.
    ``spoken_s`` runs on from ``since``; None: its clock stands.
    """

    job: "Job"
    zone: Zone
    seq: int
    expires_at: float
    stage: Stage = Stage.WAITING
    part: int = 0
    rounds: int = 0
    interrupted: bool = False
    held_until: float | None = None
    due_at: float | None = None
    verdict: ZoneResult | None = None
    result: ZoneResult | None = None
    spoken_s: float = 0.0
    since: float | None = None

    @property
    def announcement(self) -> Announcement:
        """What it says."""
        return self.job.announcement

    @property
    def is_active(self) -> bool:
        """Whether it holds its zone."""
        return self.stage is Stage.PLAYING or self.stage is Stage.CUTTING

    def place(self) -> Place:
        """Its sort key in the zone's line."""
        return place(self.job.announcement, self.interrupted, self.seq)

    def hold(self, now: float) -> None:
        """Stand still in a pause, which may last till the time to live ends.

        One that was past its time when the pause began has as long again.
        """
        self.stop_clock(now)
        announcement = self.job.announcement
        ttl_s = announcement.expires_at - announcement.received_at
        self.held_until = self.expires_at if now < self.expires_at else now + ttl_s

    def go_on(self, now: float) -> None:
        """Speak, and count the time."""
        self.held_until = None
        self.since = now

    def stop_clock(self, now: float) -> None:
        """Stop counting."""
        if self.since is not None:
            self.spoken_s += max(0.0, now - self.since)
            self.since = None

    def wake_at(self) -> float | None:
        """When it next needs a look without anybody's report."""
        if self.stage is Stage.WAITING:
            return self.expires_at
        if self.stage is Stage.PLAYING:
            return self.silenced_at() if self.held_until is None else self.held_until
        return self.due_at if self.stage is Stage.RESTING else None

    def silenced_at(self) -> float | None:
        """When max_duration ends it, if its clock runs on."""
        limit_s = self.job.announcement.max_duration_s
        if limit_s is None or self.since is None:
            return None
        return self.since + limit_s - self.spoken_s


@dataclass(slots=True, eq=False)
class Job:
    """An accepted announcement with its legs by zone.

    ``last_word`` is what a leg becomes in place of another round.
    ``active`` counts the legs that hold their zone, ``open`` those without a result.
    """

    announcement: Announcement
    seq: int
    legs: dict[str, Leg] = field(default_factory=dict)
    last_word: ZoneResult | None = None
    acknowledged: bool = False
    capped: bool = False
    active: int = 0
    open: int = 0

    def at(self, *stages: Stage) -> Iterator[Leg]:
        """The legs that stand at one of ``stages``; safe to change while iterating."""
        return iter([leg for leg in self.legs.values() if leg.stage in stages])

    def wake_at(self) -> float | None:
        """When it next needs a look."""
        times = [at for leg in self.legs.values() if (at := leg.wake_at()) is not None]
        return min(times, default=None)

    def outcome(self) -> ZoneResult:
        """Make one result of all zones': theirs where they agree, else partial."""
        results = [leg.result for leg in self.legs.values() if leg.result is not None]
        outcomes = {result.outcome for result in results}
        reason = next((r.reason for r in results if r.reason is not None), None)
        return ZoneResult(outcomes.pop() if len(outcomes) == 1 else EventType.PARTIAL, reason)
