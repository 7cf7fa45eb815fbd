"""The floor: who speaks in which zone, who waits for it, and who is cut for whom."""

from collections.abc import Iterable
from math import inf

from cosyedge.core import causes
from cosyedge.core.announcement import Resume, Routing
from cosyedge.core.causes import Cause
from cosyedge.core.decisions import Cut, Decision, Hold
from cosyedge.core.events import ZoneResult
from cosyedge.core.job import Job, Leg, Stage, Zone
from cosyedge.core.ledger import Ledger
from cosyedge.core.line import Line
from cosyedge.core.policy import judge
from cosyedge.core.precedence import is_emergency, may_cut
from cosyedge.core.starts import Starts


class Floor:
    """Move legs from stage to stage; :meth:`settle` then fills every zone that came free.

    Only what may sound and has time left stands in a line: callers see to the time first.
    A zone serves its line strictly in order. An all_or_nothing that is first in a line keeps the
    zone free for itself, unless one of its zones is paused.
    """

    def __init__(self, ledger: Ledger, minute: int, remembered_ids: int) -> None:
        self.zones: dict[str, Zone] = {}
        self.minute = minute
        self.remembered_ids = remembered_ids
        self.timers: Line[Job, float] = Line()
        self.out: list[Decision] = []
        self._ledger = ledger
        self._unsettled: dict[Zone, None] = {}
        self._changed: dict[Job, None] = {}
        self._cuts: dict[tuple[Job, str], list[str]] = {}
        self._starts = Starts()
        self._last_seq = 0

    def next_seq(self) -> int:
        """Number the arrivals."""
        self._last_seq += 1
        return self._last_seq

    def disturb(self, zones: Iterable[Zone]) -> None:
        """Look at these zones again when settling."""
        self._unsettled.update(dict.fromkeys(zones))

    def enqueue(self, leg: Leg, now: float) -> None:
        """Let it wait in its zone's line, if the zone's rules let it sound."""
        leg.stage = Stage.WAITING
        ruling = judge(leg.zone.rules, leg.announcement.priority, self.minute)
        if ruling.code is not None and not ruling.audible:
            self.close(leg, causes.HELD_BACK[ruling.code].result, now)
            return
        leg.zone.line.add(leg, leg.place())
        self._touch(leg)

    def judge_again(self, now: float) -> None:
        """Look at all that wait with the rules and the minute as they are by now."""
        for zone in self.zones.values():
            for leg in list(zone.line):
                self.enqueue(leg, now)
        self.disturb(self.zones.values())

    def requeue(self, legs: list[Leg], now: float) -> None:
        """Let legs of one announcement wait for their next round.

        One that follows at once keeps its place; one after an interval joins the end of its
        priority. What waits for somebody's acknowledgement is not stale: its repeats don't expire.
        """
        repetition = legs[0].announcement.repetition
        at_once = repetition.interval_s <= 0 and not repetition.until_ack
        seq = legs[0].seq if at_once else self.next_seq()
        for leg in legs:
            leg.seq = seq
            leg.due_at = None
            if repetition.until_ack:
                leg.expires_at = inf
            self.enqueue(leg, now)

    def cut(self, leg: Leg, cause: Cause, verdict: ZoneResult | None) -> None:
        """Fade it out; ``verdict`` is what it becomes then, None lets it wait to go on."""
        leg.verdict = verdict
        if leg.stage is Stage.CUTTING:
            return
        leg.stage = Stage.CUTTING
        zones = self._cuts.setdefault((leg.job, cause.reason or cause.event), [])
        zones.append(leg.zone.name)
        # An all_or_nothing that waits for this zone may now cut its others: the fades overlap.
        self._touch(leg)

    def vacate(self, leg: Leg, now: float) -> None:
        """Take it from its zone; the caller says where it goes."""
        leg.stop_clock(now)
        leg.zone.leg = None
        leg.job.active -= 1
        if leg.job.active == 0:
            self._ledger.backlog.add(leg.job)
        self._touch(leg)

    def close(self, leg: Leg, result: ZoneResult, now: float) -> None:
        """Give a leg that holds no zone its result, once; the last one ends the announcement."""
        if leg.stage is Stage.DONE:
            return
        leg.zone.line.discard(leg)
        leg.stage = Stage.DONE
        leg.result = result
        leg.job.open -= 1
        self._touch(leg)
        if leg.job.open == 0:
            self.out.append(self._ledger.end(leg.job, now, self.remembered_ids))

    def rearm(self, job: Job) -> None:
        """Find out again when it next needs a look."""
        self._changed[job] = None

    def end(self, leg: Leg, cause: Cause, now: float) -> None:
        """End it wherever it stands: at once, or when its fade is over."""
        if leg.is_active:
            self.cut(leg, cause, cause.result)
        else:
            self.close(leg, cause.result, now)

    def hold(self, zone: Zone, paused: bool, now: float) -> None:
        """Pause a zone, or let it go on; emergencies are not held."""
        if zone.paused == paused:
            return
        zone.paused = paused
        self.disturb(self.zones.values())
        leg = zone.leg
        if leg is None or leg.stage is not Stage.PLAYING or is_emergency(leg.announcement):
            return
        if paused:
            leg.hold(now)
        elif leg.held_until is not None:
            leg.go_on(now)
        else:
            return
        self._changed[leg.job] = None
        self.out.append(Hold(zone.name, paused))

    def settle(self, now: float) -> list[Decision]:
        """Wake companions, serve the zones, and hand out all decisions since the last time."""
        for job in [job for job in self._changed if not job.active]:
            self._release(job, now)
        while self._unsettled:
            zone, _ = self._unsettled.popitem()
            self._serve(zone, now)
            if not self._unsettled:
                self._leave_out_busy(now)
        for job in self._changed:
            at = job.wake_at()
            if at is None or at == inf:
                self.timers.discard(job)
            else:
                self.timers.add(job, at)
        self._changed.clear()
        cuts = [Cut(job.announcement.id, tuple(z), why) for (job, why), z in self._cuts.items()]
        self._cuts.clear()
        decisions = [*self.out, *cuts, *self._starts.take()]
        self.out.clear()
        return decisions

    def _serve(self, zone: Zone, now: float) -> None:
        leg = self.next_in(zone)
        if leg is None:
            return
        if leg.announcement.routing is Routing.ALL_OR_NOTHING:
            self._serve_all(leg.job, now)
        elif zone.leg is None:
            self._begin(leg, now)
        elif zone.leg.stage is Stage.PLAYING and may_cut(leg.announcement, zone.leg.announcement):
            self._preempt(zone.leg)

    def _serve_all(self, job: Job, now: float) -> None:
        if job.active:
            return
        legs = list(job.at(Stage.WAITING))
        if any(self.next_in(leg.zone) is not leg for leg in legs):
            return
        running = [leg.zone.leg for leg in legs if leg.zone.leg is not None]
        playing = [leg for leg in running if leg.stage is Stage.PLAYING]
        if not all(may_cut(job.announcement, leg.announcement) for leg in playing):
            return
        for leg in playing:
            self._preempt(leg)
        if running:
            return
        for leg in legs:
            leg.part = min(other.part for other in legs if other.rounds == leg.rounds)
            self._begin(leg, now)

    def next_in(self, zone: Zone) -> Leg | None:
        """The first that may take the zone."""
        first = zone.line.first()
        if first is None or _is_let(first):
            return first
        if zone.paused:
            return None
        return next((leg for leg in zone.line if _is_let(leg)), None)

    def _begin(self, leg: Leg, now: float) -> None:
        leg.zone.line.discard(leg)
        leg.zone.leg = leg
        leg.stage = Stage.PLAYING
        leg.verdict = None
        leg.job.active += 1
        leg.go_on(now)
        self._ledger.backlog.discard(leg.job)
        self._changed[leg.job] = None
        cap = judge(leg.zone.rules, leg.announcement.priority, self.minute).volume
        self._starts.add(leg, cap)
        leg.interrupted = False

    def _preempt(self, leg: Leg) -> None:
        """Cut it for a higher one; an all_or_nothing is cut in all its zones."""
        announcement = leg.announcement
        legs = [leg]
        if announcement.routing is Routing.ALL_OR_NOTHING:
            legs = list(leg.job.at(Stage.PLAYING))
        verdict = causes.PREEMPTED.result if announcement.resume is Resume.DROP else None
        for each in legs:
            self.cut(each, causes.PREEMPTED, verdict)

    def _leave_out_busy(self, now: float) -> None:
        """Routing partial: once it sounds somewhere, a zone that is not being cut for it is out."""
        for job in self._starts.jobs():
            if job.announcement.routing is not Routing.PARTIAL:
                continue
            for leg in job.at(Stage.WAITING):
                if not (leg.rounds or leg.interrupted or self._is_yielding_to(leg)):
                    self.end(leg, causes.ZONE_BUSY, now)

    def _is_yielding_to(self, leg: Leg) -> bool:
        running = leg.zone.leg
        is_fading = running is not None and running.stage is Stage.CUTTING
        return is_fading and self.next_in(leg.zone) is leg

    def _release(self, job: Job, now: float) -> None:
        """When no zone speaks it any more, begin the interval: those heard together repeat so."""
        legs = [leg for leg in job.at(Stage.RESTING) if leg.due_at is None]
        interval_s = job.announcement.repetition.interval_s
        for leg in legs:
            leg.due_at = now + interval_s
        if legs and interval_s <= 0:
            self.requeue(legs, now)

    def _touch(self, leg: Leg) -> None:
        self._changed[leg.job] = None
        if leg.announcement.routing is Routing.ALL_OR_NOTHING:
            self.disturb(other.zone for other in leg.job.legs.values())
        else:
            self._unsettled[leg.zone] = None


def overdue(leg: Leg) -> Cause:
    """What the end of the time to live means for a leg: was it heard before?"""
    return causes.ROUNDS_EXPIRED if leg.rounds else causes.EXPIRED


def _is_let(leg: Leg) -> bool:
    """Whether no pause holds it: that of its zone, or of any that an all_or_nothing needs."""
    if is_emergency(leg.announcement):
        return True
    if leg.announcement.routing is Routing.ALL_OR_NOTHING:
        return not any(other.zone.paused for other in leg.job.at(Stage.WAITING))
    return not leg.zone.paused
