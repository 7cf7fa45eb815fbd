"""Several zones: routing, results by zone, rules of zones, and zones that come and go."""

from collections.abc import Iterable

import pytest

from cosyedge.core.announcement import Interrupt, Routing
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.decisions import Decision, Start, Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.policy import QuietHours, ZoneRules
from cosyedge.core.selectors import Selector
from tests.core.announcing import FINISHED, cuts, make, open_hall, starts, told

FAILED = ZoneResult(EventType.FAILED, "device_lost")
BOTH = ("hall", "yard")


def results(decisions: Iterable[Decision]) -> dict[str, tuple[str, str | None]]:
    """The result by zone of the last end that was told."""
    tells = [each for each in decisions if isinstance(each, Tell)]
    return {zone: (each.outcome.value, each.reason) for zone, each in tells[-1].zones.items()}


def test_free_zones_begin_together_in_one_start() -> None:
    hall = open_hall("hall", "yard", "dock")
    assert starts(hall.submit(make("a", zones=["all"]), 0)) == [("a", ("hall", "yard", "dock"), 0)]


def test_group_stands_for_its_zones() -> None:
    hall = open_hall("hall", "yard", "dock", groups={"outside": ("yard", "dock")})
    assert starts(hall.submit(make("a", zones=["outside"]), 0)) == [("a", ("yard", "dock"), 0)]


def test_unknown_zone_is_rejected() -> None:
    hall = open_hall()
    assert told(hall.submit(make("a", zones=["attic"]), 0)) == [("a", "rejected", "unknown_zone")]


def test_stacked_speaks_later_where_the_zone_is_busy() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=["yard"]), 0)
    assert starts(hall.submit(make("a", zones=BOTH), 0)) == [("a", ("hall",), 0)]
    assert told(hall.played("a", "hall", FINISHED, 1)) == []
    assert starts(hall.played("now", "yard", FINISHED, 2)) == [("a", ("yard",), 0)]
    assert told(hall.played("a", "yard", FINISHED, 3)) == [("a", "finished", None)]


def test_stacked_ends_partial_when_a_zone_came_too_late() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=["yard"]), 0)
    hall.submit(make("a", zones=BOTH), 0)
    hall.played("a", "hall", FINISHED, 1)
    ended = hall.tick(120)
    assert told(ended) == [("a", "partial", "expired")]
    assert results(ended) == {"hall": ("finished", None), "yard": ("expired", "expired")}


def test_partial_leaves_out_the_zones_that_are_busy() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=["yard"]), 0)
    assert starts(hall.submit(make("a", zones=BOTH, routing=Routing.PARTIAL), 0)) != []
    ended = hall.played("a", "hall", FINISHED, 1)
    assert told(ended) == [("a", "partial", "zone_busy")]
    assert results(ended)["yard"] == ("cancelled", "zone_busy")


def test_partial_takes_a_zone_that_is_being_cut_for_it() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", "low", zones=["yard"]), 0)
    decisions = hall.submit(make("a", "high", zones=BOTH, routing=Routing.PARTIAL), 0)
    assert starts(decisions) == [("a", ("hall",), 0)]
    assert starts(hall.stopped("now", "yard", 1, 0.1)) == [("a", ("yard",), 0)]


def test_partial_waits_while_no_zone_is_free() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=BOTH), 0)
    assert starts(hall.submit(make("a", zones=BOTH, routing=Routing.PARTIAL), 0)) == []
    assert starts(hall.played("now", "yard", FINISHED, 1)) == [("a", ("yard",), 0)]
    assert hall.view().items[1].stages == {"hall": "done", "yard": "playing"}


def test_all_or_nothing_waits_for_all_and_keeps_the_free_ones() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=["yard"]), 0)
    hall.submit(make("all", zones=BOTH, routing=Routing.ALL_OR_NOTHING), 0)
    assert starts(hall.submit(make("behind", zones=["hall"]), 0)) == []
    assert starts(hall.played("now", "yard", FINISHED, 1)) == [("all", BOTH, 0)]


def test_all_or_nothing_that_never_came_free_is_expired() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=["yard"]), 0)
    hall.submit(make("all", zones=BOTH, routing=Routing.ALL_OR_NOTHING), 0)
    hall.submit(make("behind", zones=["hall"], expires_at=300.0), 0)
    decisions = hall.tick(120)
    assert told(decisions) == [("all", "expired", "expired")]
    assert starts(decisions) == [("behind", ("hall",), 0)]


def test_all_or_nothing_cuts_all_or_none() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("low", "low", zones=["hall"]), 0)
    hall.submit(make("urgent", "urgent", zones=["yard"]), 0)
    all_zones = make("all", "high", zones=BOTH, routing=Routing.ALL_OR_NOTHING)
    assert cuts(hall.submit(all_zones, 0)) == []
    assert cuts(hall.played("urgent", "yard", FINISHED, 1)) == [("low", ("hall",), "preempted")]
    assert starts(hall.stopped("low", "hall", 1, 1.1)) == [("all", BOTH, 0)]


def test_all_or_nothing_cuts_the_rest_as_soon_as_the_last_hindrance_fades() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("low", "low", zones=["hall"]), 0)
    hall.submit(make("urgent", "urgent", zones=["yard"]), 0)
    hall.submit(make("all", "high", zones=BOTH, routing=Routing.ALL_OR_NOTHING), 0)
    assert cuts(hall.skip("yard", 1)) == [
        ("urgent", ("yard",), "skipped"),
        ("low", ("hall",), "preempted"),
    ]


def test_all_or_nothing_that_is_cancelled_in_its_busy_zone_begins_in_the_others() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("now", zones=["yard"]), 0)
    hall.submit(make("all", zones=BOTH, routing=Routing.ALL_OR_NOTHING), 0)
    decisions = hall.cancel(Selector(id="all", zone="yard"), 255, 1)
    assert starts(decisions) == [("all", ("hall",), 0)]


def test_all_or_nothing_that_is_cut_in_one_zone_is_cut_in_all() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("all", zones=BOTH, routing=Routing.ALL_OR_NOTHING), 0)
    urgent = hall.submit(make("urgent", "urgent", zones=["hall"]), 0)
    assert cuts(urgent) == [("all", BOTH, "preempted")]
    hall.stopped("all", "yard", 2, 0.1)
    hall.stopped("all", "hall", 1, 0.1)
    assert starts(hall.played("urgent", "hall", FINISHED, 1)) == [("all", BOTH, 1)]


def test_all_or_nothing_lets_others_pass_while_one_of_its_zones_is_paused() -> None:
    hall = open_hall(*BOTH)
    hall.pause("yard", 0)
    hall.submit(make("all", zones=BOTH, routing=Routing.ALL_OR_NOTHING), 0)
    assert starts(hall.submit(make("behind", zones=["hall"]), 0)) == [("behind", ("hall",), 0)]
    hall.played("behind", "hall", FINISHED, 1)
    assert starts(hall.resume("yard", 2)) == [("all", BOTH, 0)]


@pytest.mark.parametrize(
    ("yard", "outcome"),
    [
        (FINISHED, ("a", "partial", "device_lost")),
        (FAILED, ("a", "failed", "device_lost")),
    ],
)
def test_outcome_is_that_of_all_zones_or_partial(
    yard: ZoneResult, outcome: tuple[str, str, str]
) -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("a", zones=BOTH), 0)
    assert told(hall.played("a", "hall", FAILED, 1)) == []
    assert told(hall.played("a", "yard", yard, 1)) == [outcome]


def test_cancel_in_one_zone_lets_it_speak_in_the_other() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("a", zones=BOTH), 0)
    assert cuts(hall.cancel(Selector(zone="yard"), 255, 1)) == [("a", ("yard",), "cancelled")]
    hall.stopped("a", "yard", 1, 1.1)
    ended = hall.played("a", "hall", FINISHED, 2)
    assert told(ended) == [("a", "partial", "cancelled")]


def test_muted_zone_suppresses_all_but_emergencies() -> None:
    hall = Dispatcher({"hall": ZoneRules(muted=True), "yard": ZoneRules()})
    assert told(hall.submit(make("a"), 0))[-1] == ("a", "suppressed", "muted")
    assert starts(hall.submit(make("b", zones=BOTH), 0)) == [("b", ("yard",), 0)]
    assert starts(hall.submit(make("e", "emergency"), 0)) == [("e", ("hall",), 0)]
    assert told(hall.played("b", "yard", FINISHED, 1)) == [("b", "partial", "muted")]


def test_mute_ends_what_waits_and_lets_the_playing_one_finish() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    hall.submit(make("next"), 0)
    decisions = hall.reconfigure({"hall": ZoneRules(muted=True)}, QueueLimits(), {}, 1)
    assert told(decisions) == [("next", "suppressed", "muted")]
    assert cuts(decisions) == []
    assert told(hall.played("now", "hall", FINISHED, 2)) == [("now", "finished", None)]


def test_mute_lets_no_cut_one_go_on() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("e", "emergency"), 1)
    hall.reconfigure({"hall": ZoneRules(muted=True)}, QueueLimits(), {}, 1)
    assert told(hall.stopped("low", "hall", 1, 1.1)) == [
        ("low", "interrupted", "preempted"),
        ("low", "suppressed", "muted"),
    ]


def test_quiet_hours_that_begin_end_what_waits_in_their_classes() -> None:
    hall = Dispatcher({"hall": ZoneRules(quiet=(QuietHours(1320, 360),))}, minute=1319)
    hall.submit(make("now"), 0)
    hall.submit(make("normal"), 0)
    hall.submit(make("above", priority=139), 0)
    hall.submit(make("urgent", "urgent", interrupt=Interrupt.NEVER), 0)
    assert sorted(told(hall.tick(1, 1320))) == [
        ("above", "suppressed", "quiet_hours"),
        ("normal", "suppressed", "quiet_hours"),
    ]
    assert starts(hall.played("now", "hall", FINISHED, 2)) == [("urgent", ("hall",), 0)]


def test_quiet_hours_follow_the_minute_of_the_day() -> None:
    hall = Dispatcher({"hall": ZoneRules(quiet=(QuietHours(1320, 360),))}, minute=1319)
    assert starts(hall.submit(make("a"), 0)) != []
    assert told(hall.submit(make("b"), 60, 1320))[-1] == ("b", "suppressed", "quiet_hours")
    assert told(hall.submit(make("c"), 61))[-1] == ("c", "suppressed", "quiet_hours")
    hall.tick(100, 400)
    assert told(hall.submit(make("d"), 100)) == [("d", "accepted", None)]


def test_quiet_hours_with_a_volume_cap_the_start_and_say_so() -> None:
    rules = ZoneRules(quiet=(QuietHours(0, 1440 - 1, volume=0.3),))
    hall = Dispatcher({"hall": rules, "yard": ZoneRules()})
    start = next(d for d in hall.submit(make("a", zones=BOTH), 0) if isinstance(d, Start))
    assert start.caps == {"hall": 0.3}
    hall.played("a", "hall", FINISHED, 1)
    ended = hall.played("a", "yard", FINISHED, 1)
    assert isinstance(ended[0], Tell)
    assert ended[0].details["capped_by"] == ["quiet_hours"]


def test_zone_that_a_new_configuration_lacks_ends_what_was_meant_for_it() -> None:
    hall = open_hall(*BOTH)
    hall.submit(make("plays", zones=["yard"]), 0)
    hall.submit(make("waits", zones=["yard"]), 0)
    hall.submit(make("both", "low", zones=BOTH), 0)
    decisions = hall.reconfigure({"hall": ZoneRules()}, QueueLimits(), {}, 1)
    assert told(decisions) == [("waits", "failed", "unknown_zone")]
    assert cuts(decisions) == [("plays", ("yard",), "unknown_zone")]
    assert told(hall.stopped("plays", "yard", 0, 1)) == [("plays", "failed", "unknown_zone")]
    assert told(hall.played("both", "hall", FINISHED, 2)) == [("both", "partial", "unknown_zone")]


def test_zone_that_went_between_consideration_and_admission_fails() -> None:
    hall = open_hall(*BOTH)
    assert hall.consider(make("a", zones=["yard"]), 0) is None
    hall.reconfigure({"hall": ZoneRules()}, QueueLimits(), {}, 0)
    decisions = hall.admit(make("a", zones=["yard"]), 0)
    assert told(decisions) == [("a", "accepted", None), ("a", "failed", "unknown_zone")]
