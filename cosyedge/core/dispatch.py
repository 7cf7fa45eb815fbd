"""The dispatcher: decides what speaks where and when, and how every announcement ends."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cosyedge.core import causes, commands, views
from cosyedge.core.announcement import Announcement
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.decisions import Decision, Tell
from cosyedge.core.errors import Refusal
from cosyedge.core.events import TERMINAL, EventType, ZoneResult
from cosyedge.core.floor import Floor
from cosyedge.core.intake import open_job, room_for, send_to_lines, zones_of
from cosyedge.core.job import Job, Leg, Stage, Zone
from cosyedge.core.ledger import Ledger, tell
from cosyedge.core.policy import ZoneRules
from cosyedge.core.precedence import may_cut
from cosyedge.core.progress import end_cut, end_round, review
from cosyedge.core.selectors import Selector
from cosyedge.core.zones import expand

_NONE: Mapping[str, Sequence[str]] = MappingProxyType({})
_NO_PARTS: Mapping[str, int] = MappingProxyType({})


class Dispatcher:
    """A synchronous machine without a clock: every call takes ``now`` (monotonic seconds).

    Every call answers with decisions, to be carried out in order. A Start is answered by
    :meth:`played` for each of its zones; a Cut by :meth:`stopped`, or by :meth:`played` where
    the end came first. Reports about what has ended are ignored. ``minute`` is the minute of the
    day by the node's wall clock; the last one given holds.
    """

    def __init__(
        self,
        zones: Mapping[str, ZoneRules],
        limits: QueueLimits | None = None,
        groups: Mapping[str, Sequence[str]] = _NONE,
        minute: int = 0,
    ) -> None:
        self._limits = limits or QueueLimits()
        self._groups = groups
        self._ledger = Ledger()
        self._floor = Floor(self._ledger, minute, self._limits.remembered_ids)
        self._floor.zones = {name: Zone(name, rules) for name, rules in zones.items()}

    def consider(self, announcement: Announcement, now: float) -> Tell | None:
        """Say why it can't be accepted (duplicate, coalesced, rejected); None: journal it.

        None also reserves its id and content, so that copies which come before :meth:`admit`
        are found; :meth:`withdraw` gives them back.
        """
        echo = self._ledger.echo(announcement, now)
        if echo is not None:
            return echo
        try:
            zones = expand(announcement.zones, self._floor.zones, self._groups)
        except Refusal as refusal:
            return tell(causes.NO_SUCH_ZONE, announcement, message=str(refusal), field="zone")
        if self._room_for(announcement, zones) is None:
            return tell(causes.NO_ROOM, announcement)
        self._ledger.reserve(announcement, now)
        return None

    def withdraw(self, announcement: Announcement) -> None:
        """Forget an announcement that was considered and won't be admitted."""
        self._ledger.withdraw(announcement)

    def admit(
        self, announcement: Announcement, now: float, minute: int | None = None
    ) -> list[Decision]:
        """Accept what :meth:`consider` let pass: from here on it has exactly one end.

        Only an id that was accepted meanwhile is still a duplicate. Where the room was taken
        meanwhile, it is accepted and ends at once (cancelled: queue_full).
        """
        self._set_minute(minute, now)
        if self._ledger.knows(announcement.id, now):
            return [tell(causes.DUPLICATE, announcement)]
        self._floor.out.append(tell(causes.ACCEPTED, announcement))
        older = self._ledger.older_of(announcement)
        zones = zones_of(announcement, self._floor, self._groups)
        victims = self._room_for(announcement, zones)
        job = self._open(announcement)
        if victims is None:
            commands.end_waiting(self._floor, job, causes.PUSHED_OUT, now)
            return self._settle(now)
        for each in older:
            commands.replace(self._floor, each, announcement.replace, now)
        for each in victims:
            commands.end_waiting(self._floor, each, causes.PUSHED_OUT, now)
        send_to_lines(job, self._floor, now)
        return self._settle(now)

    def submit(
        self, announcement: Announcement, now: float, minute: int | None = None
    ) -> list[Decision]:
        """Consider and admit in one step, where there is no journal."""
        refused = self.consider(announcement, now)
        return [refused] if refused is not None else self.admit(announcement, now, minute)

    def restore(
        self,
        announcements: Sequence[Announcement],
        now: float,
        parts: Mapping[str, int] = _NO_PARTS,
        accepted: bool = True,
    ) -> list[Decision]:
        """Take in what waited through an outage, oldest first.

        Those past their time end as expired; of the rest the first ``burst_max`` by priority are
        spoken, and the others end (burst_limit). ``parts`` says where those go on that had begun.
        ``accepted``: their accepted event has been told before.
        """
        jobs = []
        for announcement in announcements:
            if self._ledger.knows(announcement.id, now):
                continue
            if not accepted:
                self._floor.out.append(tell(causes.ACCEPTED, announcement))
            job = self._open(announcement)
            for leg in job.legs.values():
                leg.part = min(parts.get(announcement.id, 0), announcement.parts - 1)
                leg.interrupted = leg.part > 0
            jobs.append(job)
        alive = [job for job in jobs if now < job.announcement.expires_at]
        alive.sort(key=lambda job: -job.announcement.priority)
        for job in alive[self._limits.burst_max :]:
            commands.end_waiting(self._floor, job, causes.BURST, now)
        for job in jobs:
            if job.open:
                send_to_lines(job, self._floor, now)
        return self._settle(now)

    def played(self, id: str, zone: str, outcome: ZoneResult, now: float) -> list[Decision]:
        """A zone came to the end of its round, or failed; ``outcome`` must be an end."""
        if outcome.outcome not in TERMINAL:
            raise ValueError(f"{outcome.outcome} is no end")
        leg = self._active_leg(id, zone)
        if leg is None:
            return []
        self._floor.vacate(leg, now)
        if outcome.outcome is EventType.FINISHED:
            end_round(self._floor, leg, now)
        else:
            self._floor.close(leg, outcome, now)
        return self._settle(now)

    def stopped(self, id: str, zone: str, at_part: int, now: float) -> list[Decision]:
        """A zone fell silent after a Cut (or by itself); ``at_part`` is the next to be spoken."""
        leg = self._active_leg(id, zone)
        if leg is None:
            return []
        self._floor.vacate(leg, now)
        end_cut(self._floor, leg, at_part, now)
        return self._settle(now)

    def part_started(self, id: str, zone: str, part: int) -> None:
        """A zone began a part; nothing depends on it but the view."""
        leg = self._active_leg(id, zone)
        if leg is not None:
            leg.part = part

    def cancel(self, selector: Selector, grant: int, now: float) -> list[Decision]:
        """End what is meant, waiting or playing, unless its priority exceeds ``grant``."""
        commands.end_meant(self._floor, self._ledger, selector, grant, causes.CANCELLED, now)
        return self._settle(now)

    def skip(self, zone: str | None, now: float, grant: int = 255) -> list[Decision]:
        """End what plays in a zone, or in every one (None)."""
        commands.skip(self._floor, zone, grant, now)
        return self._settle(now)

    def clear(self, grant: int, now: float) -> list[Decision]:
        """End all that waits; what plays is heard to the end of its round."""
        commands.clear(self._floor, self._ledger, grant, now)
        return self._settle(now)

    def pause(self, zone: str | None, now: float) -> list[Decision]:
        """Hold a zone, or every one (None); emergencies still speak there."""
        commands.hold(self._floor, zone, True, now)
        return self._settle(now)

    def resume(self, zone: str | None, now: float) -> list[Decision]:
        """Let a zone, or every one (None), go on."""
        commands.hold(self._floor, zone, False, now)
        return self._settle(now)

    def acknowledge(self, id: str, now: float) -> list[Decision]:
        """Let an announcement repeat no more: the round in the air is its last."""
        job = self._ledger.get(id)
        if job is not None:
            job.acknowledged = True
            commands.stop_repeating(self._floor, job, causes.ACKNOWLEDGED, now)
        return self._settle(now)

    def reconfigure(
        self,
        zones: Mapping[str, ZoneRules],
        limits: QueueLimits,
        groups: Mapping[str, Sequence[str]],
        now: float,
    ) -> list[Decision]:
        """Replace rules, limits and groups; what concerns a zone that is gone ends as failed."""
        self._limits = limits
        self._groups = groups
        self._floor.remembered_ids = limits.remembered_ids
        commands.rebuild(self._floor, self._ledger, zones, now)
        return self._settle(now)

    def tick(self, now: float, minute: int | None = None) -> list[Decision]:
        """Do what is due: expiry, repeats, max_duration, quiet hours that begin or end."""
        self._set_minute(minute, now)
        return self._settle(now)

    def next_deadline(self) -> float | None:
        """When :meth:`tick` has something to do at the latest."""
        return self._floor.timers.first_key()

    def find(self, id: str) -> Announcement | None:
        """The open announcement of this id."""
        job = self._ledger.get(id)
        return None if job is None else job.announcement

    def knows(self, id: str, now: float) -> bool:
        """Whether this id is open, or ended within 24 hours and is remembered."""
        return self._ledger.knows(id, now)

    def heir(self, id: str, zone: str) -> tuple[Announcement, int] | None:
        """What ``id`` is being cut for in ``zone``, with the part it begins at.

        None where it must fall silent for another reason, too: a command, a time limit.
        """
        leg = self._active_leg(id, zone)
        if leg is None or leg.stage is not Stage.CUTTING:
            return None
        if leg.verdict not in (None, causes.PREEMPTED.result):
            return None
        heir = self._floor.next_in(leg.zone)
        if heir is None or not may_cut(heir.announcement, leg.announcement):
            return None
        return heir.announcement, heir.part

    def view(self) -> views.QueueView:
        """What plays, what waits, and how much of it."""
        return views.view(self._floor.zones, self._ledger)

    def glance(self) -> views.Glance:
        """The same without its items, at no cost."""
        return views.glance(self._floor.zones, self._ledger)

    def _active_leg(self, id: str, zone: str) -> Leg | None:
        job = self._ledger.get(id)
        leg = None if job is None else job.legs.get(zone)
        return leg if leg is not None and leg.is_active else None

    def _room_for(self, announcement: Announcement, zones: Sequence[str]) -> list[Job] | None:
        return room_for(announcement, zones, self._floor, self._ledger, self._limits)

    def _open(self, announcement: Announcement) -> Job:
        zones = zones_of(announcement, self._floor, self._groups)
        return open_job(announcement, zones, self._floor, self._ledger)

    def _set_minute(self, minute: int | None, now: float) -> None:
        if minute is not None and minute != self._floor.minute:
            self._floor.minute = minute
            self._floor.judge_again(now)

    def _settle(self, now: float) -> list[Decision]:
        """See to all that is due by ``now``, then to the zones: no call depends on a tick."""
        timers = self._floor.timers
        while (at := timers.first_key()) is not None and at <= now:
            job = timers.first()
            if job is not None:
                timers.discard(job)
                review(self._floor, job, now)
        return self._floor.settle(now)
