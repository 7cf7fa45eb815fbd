"""Whatever happens in whatever order, the dispatcher does what the reference model does."""

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    precondition,
    rule,
)

from cosyedge.bench.facts import facts_of
from cosyedge.bench.reference_model import ReferenceModel
from cosyedge.core.announcement import Announcement, Interrupt, Origin, Repetition, Resume, Routing
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.decisions import Cut, Start, Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import TERMINAL, EventType, ZoneResult
from cosyedge.core.policy import QuietHours, ZoneRules
from cosyedge.core.selectors import Selector
from tests.core.announcing import FINISHED, SENTENCES

ZONES = ("a", "b", "c")
LIMITS = QueueLimits(max_items=5, max_bytes=600, burst_max=3)
NIGHT = QuietHours(1320, 360)
zone_names = st.sampled_from(ZONES)
times_s = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0])


@st.composite
def announcements(draw: st.DrawFn) -> dict:
    chosen = draw(st.lists(zone_names, min_size=1, max_size=3, unique=True))
    return {
        "priority": draw(st.sampled_from([16, 60, 100, 100, 100, 139, 140, 160, 200, 240, 255])),
        "zones": tuple(chosen),
        "utterances": SENTENCES[: draw(st.integers(1, 3))],
        "interrupt": draw(st.sampled_from([Interrupt.LOWER, *Interrupt])),
        "resume": draw(st.sampled_from(Resume)),
        "routing": draw(st.sampled_from(Routing)),
        "repetition": draw(
            st.sampled_from(
                [
                    *[Repetition()] * 3,
                    Repetition(2),
                    Repetition(3, 4.0),
                    Repetition(1, 2.0, until_ack=True),
                    Repetition(1, 0.0, until_ack=True),
                ]
            )
        ),
        "max_duration_s": draw(st.sampled_from([None, None, 3.0])),
        "coalesce_key": draw(st.sampled_from([None, None, "door"])),
        "replace": draw(st.booleans()),
        "content_key": draw(st.sampled_from([None, None, None, "same"])),
        "size_bytes": draw(st.sampled_from([10, 100, 300])),
        "origin": Origin(grant=draw(st.sampled_from([160, 255]))),
    }


class PublicAddress(RuleBasedStateMachine):
    """The service's side of the talk, with a journal that knows every accepted id."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.rules = dict.fromkeys(ZONES, ZoneRules())
        self.accepted: dict[str, Announcement] = {}
        self.ended: list[str] = []
        self.playing: dict[str, str] = {}
        self.cutting: dict[str, str] = {}
        self.made = 0
        self.switch_on()

    def switch_on(self) -> None:
        self.minute = 720
        self.real = Dispatcher(self.rules, LIMITS, minute=self.minute)
        self.model = ReferenceModel(self.rules, LIMITS)
        self.model.minute = self.minute

    def both(self, call: str, *arguments: object, **named: object) -> None:
        """Make the same call on both; they must answer the same."""
        decisions = getattr(self.real, call)(*arguments, **named)
        expected = getattr(self.model, call)(*arguments, **named)
        for decision in decisions:
            self.take(decision)
        assert facts_of(decisions) == sorted(expected)

    def take(self, decision: object) -> None:
        match decision:
            case Start():
                a = decision.announcement
                for zone in decision.zones:
                    assert zone not in self.playing
                    self.playing[zone] = a.id
                assert a.repetition.until_ack or self.now < a.expires_at
            case Cut():
                for zone in decision.zones:
                    assert self.playing[zone] == decision.id
                    self.cutting[zone] = decision.id
            case Tell() if decision.type is EventType.ACCEPTED:
                assert decision.announcement.id not in self.accepted
                self.accepted[decision.announcement.id] = decision.announcement
            case Tell() if decision.type in TERMINAL:
                assert decision.announcement.id in self.accepted
                assert decision.announcement.id not in self.ended
                assert set(decision.zones) == set(decision.announcement.zones)
                self.ended.append(decision.announcement.id)

    @rule(target=ids, fields=announcements(), ttl_s=st.sampled_from([1.0, 10.0, 60.0]))
    def send(self, fields: dict, ttl_s: float) -> object:
        self.made += 1
        a = Announcement(
            id=f"m{self.made}", received_at=self.now, expires_at=self.now + ttl_s, **fields
        )
        self.both("submit", a, self.now)
        return a.id if a.id in self.accepted else multiple()

    @rule(id=ids)
    def send_again(self, id: str) -> None:
        if self.real.knows(id, self.now):
            self.both("submit", self.accepted[id], self.now)

    @rule(wait_s=times_s)
    def wait(self, wait_s: float) -> None:
        until = self.now + wait_s
        while (at := self.real.next_deadline()) is not None and at <= until:
            assert at > self.now - 1e-9 or at <= self.now
            self.now = max(self.now, at)
            self.both("tick", self.now)
            later = self.real.next_deadline()
            assert later is None or later > self.now
        self.now = until
        self.both("tick", self.now)

    @precondition(lambda self: self.playing)
    @rule(data=st.data(), failed=st.sampled_from([False, False, False, True]))
    def end_of_round(self, data: st.DataObject, failed: bool) -> None:
        zone = data.draw(st.sampled_from(sorted(self.playing)))
        id = self.playing.pop(zone)
        self.cutting.pop(zone, None)
        outcome = ZoneResult(EventType.FAILED, "device_lost") if failed else FINISHED
        self.both("played", id, zone, outcome, self.now)

    @precondition(lambda self: self.cutting)
    @rule(data=st.data(), part=st.integers(0, 3))
    def end_of_fade(self, data: st.DataObject, part: int) -> None:
        zone = data.draw(st.sampled_from(sorted(self.cutting)))
        id = self.cutting.pop(zone)
        del self.playing[zone]
        self.both("stopped", id, zone, part, self.now)

    @rule(id=ids, zone=zone_names, part=st.integers(0, 3))
    def late_report(self, id: str, zone: str, part: int) -> None:
        if self.playing.get(zone) != id:
            self.both("stopped", id, zone, part, self.now)
            self.both("played", id, zone, FINISHED, self.now)
        self.real.part_started("gone", zone, part)

    @rule(id=ids, grant=st.sampled_from([160, 255]))
    def cancel(self, id: str, grant: int) -> None:
        self.both("cancel", Selector(id=id), grant, self.now)

    @rule(
        selector=st.builds(
            Selector,
            class_name=st.sampled_from([None, "normal", "high"]),
            zone=st.sampled_from([None, "a", "b"]),
        ),
        grant=st.sampled_from([100, 255]),
    )
    def cancel_many(self, selector: Selector, grant: int) -> None:
        self.both("cancel", selector, grant, self.now)

    @rule(zone=st.none() | zone_names, grant=st.sampled_from([160, 255]))
    def skip(self, zone: str | None, grant: int) -> None:
        self.both("skip", zone, self.now, grant)

    @rule(grant=st.sampled_from([160, 255]))
    def clear(self, grant: int) -> None:
        self.both("clear", grant, self.now)

    @rule(zone=st.none() | zone_names)
    def pause(self, zone: str | None) -> None:
        self.both("pause", zone, self.now)

    @rule(zone=st.none() | zone_names)
    def resume(self, zone: str | None) -> None:
        self.both("resume", zone, self.now)

    @rule(id=ids)
    def acknowledge(self, id: str) -> None:
        self.both("acknowledge", id, self.now)

    @rule(
        zone=zone_names,
        rules=st.sampled_from([ZoneRules(), ZoneRules(muted=True), ZoneRules(quiet=(NIGHT,))]),
    )
    def set_rules(self, zone: str, rules: ZoneRules) -> None:
        self.rules = {**self.rules, zone: rules}
        self.model.rules = dict(self.rules)
        decisions = self.real.reconfigure(self.rules, LIMITS, {}, self.now)
        for decision in decisions:
            self.take(decision)
        assert facts_of(decisions) == sorted(self.model.tick(self.now))

    @rule(minute=st.sampled_from([720, 1400]))
    def turn_of_the_day(self, minute: int) -> None:
        self.both("tick", self.now, minute)

    @precondition(lambda self: self.accepted)
    @rule(down_s=times_s)
    def crash_and_restart(self, down_s: float) -> None:
        self.now += down_s
        self.playing.clear()
        self.cutting.clear()
        self.switch_on()
        left = [a for id, a in self.accepted.items() if id not in self.ended]
        self.both("restore", left, self.now)

    @invariant()
    def view_agrees(self) -> None:
        view = self.real.view()
        assert {zone: id for zone, id in view.playing.items() if id} == self.playing
        assert {item.id for item in view.items} == self.accepted.keys() - set(self.ended)
        assert view.waiting_bytes == sum(
            item.size_bytes
            for item in view.items
            if not {"playing", "cutting"} & set(item.stages.values())
        )

    def teardown(self) -> None:
        """Switch off in good order: by then everything accepted has its one end."""
        self.both("cancel", Selector(), 255, self.now)
        for zone, id in list(self.cutting.items()):
            self.both("stopped", id, zone, 1, self.now)
        assert sorted(self.ended) == sorted(self.accepted)
        assert self.real.next_deadline() is None


TestPublicAddress = PublicAddress.TestCase
TestPublicAddress.settings = settings(
    max_examples=300,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
