"""The reference model: the dispatcher's calls, answered by the plainest code that is right.

Tests and the queue benchmark give both the same calls and compare the facts.
"""

from collections.abc import Iterable, Mapping
from math import inf

from cosyedge.bench.facts import Fact
from cosyedge.bench.reference_order import (
    EXPIRED,
    ROUNDS_EXPIRED,
    TOO_LONG,
    Entry,
    ModelLeg,
    ReferenceOrder,
    cancelled,
)
from cosyedge.core.announcement import Announcement, Resume
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.policy import ZoneRules
from cosyedge.core.selectors import Selector

_FINISHED = ZoneResult(EventType.FINISHED)


class ReferenceModel(ReferenceOrder):
    """Answer the dispatcher's calls with facts, in no order."""

    def __init__(self, zones: Mapping[str, ZoneRules], limits: QueueLimits) -> None:
        super().__init__(zones)
        self.limits = limits
        self.known: set[str] = set()
        self.contents: list[tuple[str, float]] = []

    def submit(self, a: Announcement, now: float) -> list[Fact]:
        """Refuse it, or accept it and let it wait."""
        if a.id in self.known:
            return [("tell", "duplicate", a.id, "None")]
        if a.content_key and any(
            a.content_key == key and now - at < 2 for key, at in self.contents
        ):
            return [("tell", "coalesced", a.id, "None")]
        older = [
            entry
            for entry in self.open
            if a.coalesce_key is not None
            and entry.a.coalesce_key == a.coalesce_key
            and entry.a.priority <= a.origin.grant
        ]
        victims = self._victims(a, older)
        if victims is None:
            return [("tell", "rejected", a.id, "queue_full")]
        self.contents.append((a.content_key or "", now))
        self.tell("accepted", a.id, None)
        for entry in older:
            self._give_up(entry, cancelled("replaced"))
            for leg in [leg for leg in entry.legs if leg.stage == "playing" and a.replace]:
                self.end(leg, cancelled("replaced"))
        for entry in victims:
            self._give_up(entry, cancelled("queue_full"))
        self._new(a)
        return self.settle(now)

    def restore(self, announcements: Iterable[Announcement], now: float) -> list[Fact]:
        """Take in what waited through an outage, oldest first."""
        entries = [self._new(a) for a in announcements]
        alive = [entry for entry in entries if now < entry.a.expires_at]
        for entry in sorted(alive, key=lambda entry: -entry.a.priority)[self.limits.burst_max :]:
            self._give_up(entry, cancelled("burst_limit"))
        return self.settle(now)

    def played(self, id: str, zone: str, outcome: ZoneResult, now: float) -> list[Fact]:
        """Hear that a zone ended its round."""
        for leg in self._speaking(id, zone):
            self.silence(leg, now)
            if outcome.outcome is EventType.FINISHED:
                self._end_round(leg, now)
            else:
                self.close(leg, outcome)
        return self.settle(now)

    def stopped(self, id: str, zone: str, at_part: int, now: float) -> list[Fact]:
        """Hear that a zone fell silent before ``at_part``."""
        for leg in self._speaking(id, zone):
            self.silence(leg, now)
            if leg.verdict is not None:
                self.close(leg, leg.verdict)
            elif at_part >= leg.entry.a.parts:
                self._end_round(leg, now)
            elif leg.spoken_s >= (leg.entry.a.max_duration_s or inf):
                self.close(leg, TOO_LONG)
            elif now >= leg.expires_at:
                self.close(leg, ROUNDS_EXPIRED if leg.rounds else EXPIRED)
            else:
                leg.stage, leg.was_cut = "waiting", True
                leg.part = 0 if leg.entry.a.resume is Resume.START else at_part
                self.tell("interrupted", id, "preempted")
        return self.settle(now)

    def cancel(self, selector: Selector, grant: int, now: float) -> list[Fact]:
        """End what is meant and covered by the grant."""
        for leg in self.legs("waiting", "resting", "playing", "cutting"):
            if leg.entry.a.priority <= grant and selector.means(leg.entry.a, leg.zone):
                self.end(leg, cancelled("cancelled"))
        return self.settle(now)

    def skip(self, zone: str | None, now: float, grant: int = 255) -> list[Fact]:
        """End what plays."""
        for leg in self.legs("playing", "cutting"):
            if leg.entry.a.priority <= grant and zone in (None, leg.zone):
                self.end(leg, cancelled("skipped"))
        return self.settle(now)

    def clear(self, grant: int, now: float) -> list[Fact]:
        """End all that waits."""
        for entry in list(self.open):
            if entry.a.priority <= grant:
                self._give_up(entry, cancelled("cleared"))
        return self.settle(now)

    def acknowledge(self, id: str, now: float) -> list[Fact]:
        """Let it repeat no more."""
        for entry in [entry for entry in self.open if entry.a.id == id]:
            entry.last_word = _FINISHED
            for leg in entry.legs:
                if leg.stage in ("waiting", "resting") and leg.rounds:
                    self.close(leg, _FINISHED)
        return self.settle(now)

    def pause(self, zone: str | None, now: float) -> list[Fact]:
        """Hold a zone, or all."""
        for name in [name for name in self.rules if zone in (None, name)]:
            self.paused.add(name)
            for leg in self.legs("playing"):
                if leg.zone == name and leg.entry.a.priority < 240 and leg.since is not None:
                    self.silence(leg, now)
                    late = now + leg.entry.a.expires_at - leg.entry.a.received_at
                    leg.held_until = leg.expires_at if now < leg.expires_at else late
                    self.facts.append(("hold", name, "True"))
        return self.settle(now)

    def resume(self, zone: str | None, now: float) -> list[Fact]:
        """Let a zone, or all, go on."""
        for name in [name for name in self.rules if zone in (None, name)]:
            self.paused.discard(name)
            for leg in self.legs("playing"):
                if leg.zone == name and leg.held_until is not None:
                    leg.held_until, leg.since = None, now
                    self.facts.append(("hold", name, "False"))
        return self.settle(now)

    def tick(self, now: float, minute: int | None = None) -> list[Fact]:
        """Do what is due."""
        self.minute = self.minute if minute is None else minute
        return self.settle(now)

    def _new(self, a: Announcement) -> Entry:
        self.last_seq += 1
        entry = Entry(a, self.last_seq)
        entry.legs = [
            ModelLeg(entry, zone, entry.seq, a.expires_at) for zone in dict.fromkeys(a.zones)
        ]
        self.open.append(entry)
        self.known.add(a.id)
        return entry

    def _victims(self, a: Announcement, older: list[Entry]) -> list[Entry] | None:
        waiting = [entry for entry in self.open if not entry.speaks() and entry not in older]
        waiting.sort(key=lambda entry: (-entry.a.priority, -entry.seq))
        victims = []
        while (
            len(waiting) >= self.limits.max_items
            or sum(entry.a.size_bytes for entry in waiting) + a.size_bytes > self.limits.max_bytes
        ):
            if not waiting or waiting[-1].a.priority >= a.priority:
                busy = {leg.zone for leg in self.legs("waiting", "playing", "cutting")}
                return None if busy.union(self.paused).intersection(a.zones) else []
            victims.append(waiting.pop())
        return victims

    def _speaking(self, id: str, zone: str) -> list[ModelLeg]:
        legs = self.legs("playing", "cutting")
        return [leg for leg in legs if leg.entry.a.id == id and leg.zone == zone]

    def _give_up(self, entry: Entry, result: ZoneResult) -> None:
        entry.last_word = result
        for leg in entry.legs:
            if leg.stage in ("waiting", "resting"):
                self.close(leg, result)
            elif leg.stage == "cutting" and leg.verdict is None:
                leg.verdict = result

    def _end_round(self, leg: ModelLeg, now: float) -> None:
        a, rep = leg.entry.a, leg.entry.a.repetition
        leg.rounds, leg.part = leg.rounds + 1, 0
        if leg.rounds >= rep.times and not rep.until_ack:
            self.close(leg, _FINISHED)
        elif last := leg.verdict or leg.entry.last_word:
            self.close(leg, last)
        elif leg.spoken_s >= (a.max_duration_s or inf):
            self.close(leg, TOO_LONG)
        elif not rep.until_ack and now + rep.interval_s >= a.expires_at:
            self.close(leg, ROUNDS_EXPIRED)
        else:
            leg.stage, leg.due_at = "resting", None
