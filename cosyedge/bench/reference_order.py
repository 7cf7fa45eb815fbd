"""The order of announcements once more, as plainly as it can be said: lists, sorted every time.

It shares no structure with the dispatcher; :mod:`cosyedge.bench.reference_model` answers calls.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias

from cosyedge.bench.facts import Fact
from cosyedge.core.announcement import Announcement, Interrupt, Resume, Routing
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.policy import ZoneRules, judge

Stage: TypeAlias = Literal["waiting", "playing", "cutting", "resting", "done"]

EXPIRED = ZoneResult(EventType.EXPIRED, "expired")
ROUNDS_EXPIRED = ZoneResult(EventType.PARTIAL, "expired")
TOO_LONG = ZoneResult(EventType.PARTIAL, "max_duration")


def cancelled(reason: str) -> ZoneResult:
    """End by a command, or for the sake of another."""
    return ZoneResult(EventType.CANCELLED, reason)


@dataclass(slots=True, eq=False)
class ModelLeg:
    """One announcement in one zone; the fields mean what those of the dispatcher's legs mean."""

    entry: "Entry"
    zone: str
    seq: int
    expires_at: float
    stage: Stage = "waiting"
    part: int = 0
    rounds: int = 0
    was_cut: bool = False
    held_until: float | None = None
    due_at: float | None = None
    verdict: ZoneResult | None = None
    result: ZoneResult | None = None
    spoken_s: float = 0.0
    since: float | None = None


@dataclass(slots=True, eq=False)
class Entry:
    """One accepted announcement."""

    a: Announcement
    seq: int
    legs: list[ModelLeg] = field(default_factory=list)
    last_word: ZoneResult | None = None

    def speaks(self) -> bool:
        """Whether it holds a zone."""
        return any(leg.stage in ("playing", "cutting") for leg in self.legs)


class ReferenceOrder:
    """Everybody who is in, and what happens when nothing is left to happen."""

    def __init__(self, zones: Mapping[str, ZoneRules]) -> None:
        self.rules = dict(zones)
        self.minute = 0
        self.paused: set[str] = set()
        self.open: list[Entry] = []
        self.facts: list[Fact] = []
        self.begun: list[Entry] = []
        self.last_seq = 0

    def legs(self, *stages: Stage) -> list[ModelLeg]:
        """List the legs that stand at one of these stages."""
        return [leg for entry in self.open for leg in entry.legs if leg.stage in stages]

    def silence(self, leg: ModelLeg, now: float) -> None:
        """Let a zone fall silent."""
        leg.spoken_s += now - leg.since if leg.since is not None else 0
        leg.held_until, leg.since = None, None

    def end(self, leg: ModelLeg, result: ZoneResult) -> None:
        """End a leg at once, or when its fade is over."""
        if leg.stage in ("playing", "cutting"):
            self.cut(leg, result)
        else:
            self.close(leg, result)

    def cut(self, leg: ModelLeg, verdict: ZoneResult | None) -> None:
        """Begin to fade a leg; ``verdict`` is what it becomes then."""
        if leg.stage == "playing":
            self.facts.append(("cut", leg.entry.a.id, leg.zone))
        leg.stage, leg.verdict = "cutting", verdict

    def close(self, leg: ModelLeg, result: ZoneResult) -> None:
        """Give a leg its result; the last one tells the end."""
        leg.stage, leg.result = "done", result
        results = [each.result for each in leg.entry.legs]
        if leg.entry in self.open and None not in results:
            self.open.remove(leg.entry)
            outcomes = {each.outcome.value for each in results if each}
            reasons = [each.reason for each in results if each and each.reason]
            word = outcomes.pop() if len(outcomes) == 1 else "partial"
            self.tell(word, leg.entry.a.id, reasons[0] if reasons else None)

    def settle(self, now: float) -> list[Fact]:
        """Do what is due, serve every zone until nothing changes, and hand out the facts."""
        for entry in list(self.open):
            self._repeat(entry, now)
        for leg in self.legs("waiting", "playing"):
            self._look_at_time(leg, now)
        for leg in self.legs("waiting"):
            ruling = judge(self.rules[leg.zone], leg.entry.a.priority, self.minute)
            if not ruling.audible:
                self.close(leg, ZoneResult(EventType.SUPPRESSED, ruling.code))
        while any(self._serve(zone, now) for zone in self.rules) or self._leave_out():
            pass
        facts, self.facts, self.begun = self.facts, [], []
        return facts

    def _repeat(self, entry: Entry, now: float) -> None:
        resting = [leg for leg in entry.legs if leg.stage == "resting"]
        if not entry.speaks():
            for leg in resting:
                if leg.due_at is None:
                    leg.due_at = now + entry.a.repetition.interval_s
        self._queue_again([leg for leg in resting if leg.due_at is not None and leg.due_at <= now])

    def _queue_again(self, legs: list[ModelLeg]) -> None:
        if not legs:
            return
        rep = legs[0].entry.a.repetition
        at_once = rep.interval_s <= 0 and not rep.until_ack
        self.last_seq += not at_once
        for leg in legs:
            leg.stage, leg.due_at = "waiting", None
            leg.seq = leg.seq if at_once else self.last_seq
            leg.expires_at = inf if rep.until_ack else leg.expires_at

    def _look_at_time(self, leg: ModelLeg, now: float) -> None:
        limit_s = leg.entry.a.max_duration_s
        until = leg.expires_at if leg.stage == "waiting" else leg.held_until
        if until is not None and now >= until:
            self.end(leg, ROUNDS_EXPIRED if leg.rounds else EXPIRED)
        elif limit_s and leg.since is not None and now >= leg.since + limit_s - leg.spoken_s:
            self.end(leg, TOO_LONG)

    def _in_line(self, zone: str) -> list[ModelLeg]:
        def key(leg: ModelLeg) -> tuple[int, bool, bool, int]:
            a = leg.entry.a
            return (-a.priority, a.interrupt is not Interrupt.ALWAYS, not leg.was_cut, leg.seq)

        return sorted((leg for leg in self.legs("waiting") if leg.zone == zone), key=key)

    def _first(self, zone: str) -> ModelLeg | None:
        line = self._in_line(zone)
        return next((leg for leg in line if not self._is_held_by_pause(leg)), None)

    def _is_held_by_pause(self, leg: ModelLeg) -> bool:
        needed = {leg.zone}
        if leg.entry.a.routing is Routing.ALL_OR_NOTHING:
            needed = {other.zone for other in leg.entry.legs if other.stage == "waiting"}
        return leg.entry.a.priority < 240 and bool(needed & self.paused)

    def _runs(self, zone: str) -> ModelLeg | None:
        return next((leg for leg in self.legs("playing", "cutting") if leg.zone == zone), None)

    def _serve(self, zone: str, now: float) -> bool:
        first = self._first(zone)
        if first is None or (
            first.entry.a.routing is Routing.ALL_OR_NOTHING and first.entry.speaks()
        ):
            return False
        legs = [first]
        if first.entry.a.routing is Routing.ALL_OR_NOTHING:
            legs = [leg for leg in first.entry.legs if leg.stage == "waiting"]
            if any(self._first(leg.zone) is not leg for leg in legs):
                return False
        runners = [runner for leg in legs if (runner := self._runs(leg.zone)) is not None]
        playing = [runner for runner in runners if runner.stage == "playing"]
        if not all(_may_cut(first.entry.a, runner.entry.a) for runner in playing):
            return False
        for runner in playing:
            self._preempt(runner)
        if not runners:
            self._begin(legs, now)
        return bool(playing) or not runners

    def _preempt(self, runner: ModelLeg) -> None:
        a = runner.entry.a
        together = a.routing is Routing.ALL_OR_NOTHING
        for leg in runner.entry.legs if together else [runner]:
            if leg.stage == "playing":
                self.cut(leg, cancelled("preempted") if a.resume is Resume.DROP else None)

    def _begin(self, legs: list[ModelLeg], now: float) -> None:
        for leg in legs:
            a = leg.entry.a
            leg.part = min(other.part for other in legs if other.rounds == leg.rounds)
            if leg.was_cut:
                self.facts.append(("resumed", a.id, leg.zone))
            leg.stage, leg.since, leg.was_cut, leg.verdict = "playing", now, False, None
            self.facts.append(("start", a.id, leg.zone, str(leg.part), str(leg.rounds)))
            self.begun.append(leg.entry)

    def _leave_out(self) -> bool:
        left = []
        for entry in dict.fromkeys(self.begun):
            for leg in entry.legs if entry.a.routing is Routing.PARTIAL else ():
                runner = self._runs(leg.zone)
                yields = runner is not None and runner.stage == "cutting"
                if leg.stage != "waiting" or leg.rounds or leg.was_cut:
                    continue
                if not (yields and self._first(leg.zone) is leg):
                    left.append(leg)
        for leg in left:
            self.close(leg, cancelled("zone_busy"))
        return bool(left)

    def tell(self, word: str, id: str, reason: str | None) -> None:
        """Note an event."""
        self.facts.append(("tell", word, id, str(reason)))


def _may_cut(newcomer: Announcement, running: Announcement) -> bool:
    if newcomer.interrupt is Interrupt.ALWAYS:
        ahead = running.interrupt is not Interrupt.ALWAYS
        return (newcomer.priority, ahead) > (running.priority, False)
    return newcomer.interrupt is Interrupt.LOWER and newcomer.priority >= running.priority + 40
