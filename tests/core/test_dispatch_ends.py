"""Time and commands: how announcements end before they are through."""

import pytest

from cosyedge.core.announcement import Resume
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.selectors import ALL, Selector
from tests.core.announcing import FINISHED, cuts, holds, make, open_hall, starts, told


def test_waiting_one_expires_when_its_time_is_up() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    hall.submit(make("next", expires_at=10.0), 0)
    assert hall.next_deadline() == 10.0
    assert told(hall.tick(9.99)) == []
    assert told(hall.tick(10.0)) == [("next", "expired", "expired")]
    assert hall.next_deadline() is None


def test_one_that_comes_too_late_is_accepted_and_expires() -> None:
    hall = open_hall()
    decisions = hall.submit(make("late", expires_at=1.0), 1.0)
    assert told(decisions) == [("late", "accepted", None), ("late", "expired", "expired")]
    assert starts(decisions) == []


def test_no_start_after_the_time_to_live_even_without_a_tick() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    hall.submit(make("next", expires_at=10.0), 0)
    decisions = hall.played("now", "hall", FINISHED, 10.0)
    assert starts(decisions) == []
    assert ("next", "expired", "expired") in told(decisions)


def test_playing_one_does_not_expire() -> None:
    hall = open_hall()
    hall.submit(make("a", expires_at=10.0), 0)
    assert hall.next_deadline() is None
    assert hall.tick(11) == []


def test_cut_one_expires_while_it_waits_to_go_on() -> None:
    hall = open_hall()
    hall.submit(make("low", "low", expires_at=10.0), 0)
    hall.submit(make("high", "high"), 1)
    hall.stopped("low", "hall", 1, 1)
    assert told(hall.tick(10)) == [("low", "expired", "expired")]


def test_time_that_runs_out_during_the_fade_ends_it_then() -> None:
    hall = open_hall()
    hall.submit(make("low", "low", expires_at=10.0), 0)
    hall.submit(make("high", "high"), 9.9)
    assert hall.tick(10.0) == []
    assert told(hall.stopped("low", "hall", 1, 10.05)) == [("low", "expired", "expired")]


def test_pause_that_outlives_the_time_to_live_expires_what_it_holds() -> None:
    hall = open_hall()
    hall.submit(make("plays", expires_at=10.0), 0)
    hall.submit(make("waits", expires_at=10.0), 0)
    assert holds(hall.pause(None, 1)) == [("hall", True)]
    decisions = hall.tick(10)
    assert cuts(decisions) == [("plays", ("hall",), "expired")]
    assert told(decisions) == [("waits", "expired", "expired")]
    assert told(hall.stopped("plays", "hall", 1, 10.1)) == [("plays", "expired", "expired")]


def test_pause_of_one_that_was_past_its_time_may_last_as_long_again() -> None:
    hall = open_hall()
    hall.submit(make("plays", expires_at=10.0), 0)
    hall.pause("hall", 15)
    assert hall.next_deadline() == 25
    assert holds(hall.resume("hall", 16)) == [("hall", False)]
    assert hall.next_deadline() is None


def test_paused_zone_starts_nothing_until_it_is_resumed() -> None:
    hall = open_hall()
    assert hall.pause("hall", 0) == []
    assert starts(hall.submit(make("a"), 0)) == []
    assert hall.view().paused == {"hall"}
    assert starts(hall.resume("hall", 1)) == [("a", ("hall",), 0)]


def test_emergency_speaks_in_a_paused_zone_and_the_held_one_goes_on_after_resume() -> None:
    hall = open_hall()
    hall.submit(make("a"), 0)
    hall.pause(None, 1)
    assert cuts(hall.submit(make("e", "emergency"), 2)) == [("a", ("hall",), "preempted")]
    assert starts(hall.stopped("a", "hall", 1, 2.1)) == [("e", ("hall",), 0)]
    assert holds(hall.pause(None, 3)) == []
    assert starts(hall.played("e", "hall", FINISHED, 4)) == []
    assert starts(hall.resume(None, 5)) == [("a", ("hall",), 1)]


def test_pause_does_not_hold_an_emergency() -> None:
    hall = open_hall()
    hall.submit(make("e", "emergency"), 0)
    assert holds(hall.pause(None, 1)) == []
    assert holds(hall.resume(None, 2)) == []


def test_max_duration_cuts_and_ends_partial() -> None:
    hall = open_hall()
    hall.submit(make("a", max_duration_s=5.0), 0)
    assert hall.next_deadline() == 5.0
    assert cuts(hall.tick(5)) == [("a", ("hall",), "max_duration")]
    assert told(hall.stopped("a", "hall", 2, 5.1)) == [("a", "partial", "max_duration")]


def test_max_duration_counts_speaking_alone() -> None:
    hall = open_hall()
    hall.submit(make("a", max_duration_s=5.0), 0)
    hall.pause(None, 2)
    hall.resume(None, 12)
    assert hall.next_deadline() == 15.0
    hall.submit(make("e", "emergency"), 14)
    hall.stopped("a", "hall", 1, 14)
    hall.played("e", "hall", FINISHED, 50)
    assert hall.next_deadline() == 51.0


def test_cut_for_another_that_reaches_max_duration_in_its_fade_does_not_come_back() -> None:
    hall = open_hall()
    hall.submit(make("a", max_duration_s=5.0), 0)
    hall.submit(make("e", "emergency"), 4.9)
    assert told(hall.stopped("a", "hall", 1, 5.05)) == [("a", "partial", "max_duration")]


def test_cancel_ends_what_waits_at_once_and_what_plays_after_its_fade() -> None:
    hall = open_hall()
    hall.submit(make("plays"), 0)
    hall.submit(make("waits"), 0)
    decisions = hall.cancel(ALL, 255, 1)
    assert told(decisions) == [("waits", "cancelled", "cancelled")]
    assert cuts(decisions) == [("plays", ("hall",), "cancelled")]
    assert told(hall.stopped("plays", "hall", 1, 1.1)) == [("plays", "cancelled", "cancelled")]


@pytest.mark.parametrize(
    ("selector", "ended"),
    [
        (Selector(id="n"), {"n"}),
        (Selector(class_name="urgent"), {"u"}),
        (Selector(zone="yard"), {"y"}),
        (Selector(id="unknown"), set()),
        (ALL, {"n", "u", "y"}),
    ],
)
def test_cancel_by_id_class_and_zone(selector: Selector, ended: set[str]) -> None:
    hall = open_hall("hall", "yard")
    hall.pause(None, 0)
    for announcement in (make("n"), make("u", "urgent"), make("y", "low", zones=["yard"])):
        hall.submit(announcement, 0)
    assert {id for id, _, _ in told(hall.cancel(selector, 255, 1))} == ended


def test_cancel_does_not_reach_above_its_grant() -> None:
    hall = open_hall()
    hall.submit(make("e", "emergency"), 0)
    hall.submit(make("h", "high"), 0)
    hall.submit(make("u", "urgent"), 0)
    assert told(hall.cancel(ALL, 160, 1)) == [("h", "cancelled", "cancelled")]
    assert hall.skip(None, 1, 160) == []


def test_cancel_during_the_fade_for_another_needs_no_second_cut() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("high", "high"), 1)
    assert hall.cancel(Selector(id="low"), 255, 1) == []
    stopped = hall.stopped("low", "hall", 1, 1.1)
    assert told(stopped) == [("low", "cancelled", "cancelled")]


def test_skip_ends_what_plays_and_the_next_one_begins() -> None:
    hall = open_hall("hall", "yard")
    hall.submit(make("a"), 0)
    hall.submit(make("b"), 0)
    hall.submit(make("y", zones=["yard"]), 0)
    assert cuts(hall.skip("hall", 1)) == [("a", ("hall",), "skipped")]
    decisions = hall.stopped("a", "hall", 1, 1.1)
    assert told(decisions) == [("a", "cancelled", "skipped")]
    assert starts(decisions) == [("b", ("hall",), 0)]


def test_clear_ends_what_waits_and_lets_the_playing_one_finish() -> None:
    hall = open_hall()
    hall.submit(make("plays", "low"), 0)
    hall.submit(make("waits"), 0)
    hall.submit(make("high", "high"), 0)
    hall.stopped("plays", "hall", 1, 0.1)
    assert sorted(told(hall.clear(100, 1))) == [
        ("plays", "cancelled", "cleared"),
        ("waits", "cancelled", "cleared"),
    ]
    assert told(hall.played("high", "hall", FINISHED, 2)) == [("high", "finished", None)]


def test_clear_during_a_fade_for_another_ends_the_cut_one() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("high", "high"), 1)
    assert told(hall.clear(255, 1)) == [("high", "cancelled", "cleared")]
    assert told(hall.stopped("low", "hall", 1, 1.1)) == [("low", "cancelled", "cleared")]


def test_late_reports_about_ended_ids_are_ignored() -> None:
    hall = open_hall()
    hall.submit(make("a"), 0)
    hall.submit(make("b"), 0)
    hall.played("a", "hall", FINISHED, 1)
    hall.part_started("a", "hall", 2)
    assert hall.stopped("a", "hall", 1, 2) == []
    assert hall.played("a", "hall", FINISHED, 2) == []
    assert hall.played("b", "yard", FINISHED, 2) == []
    assert hall.view().playing == {"hall": "b"}


def test_failed_zone_ends_with_its_code() -> None:
    hall = open_hall()
    hall.submit(make("a", resume=Resume.DROP), 0)
    failed = ZoneResult(EventType.FAILED, "device_lost")
    assert told(hall.played("a", "hall", failed, 1)) == [("a", "failed", "device_lost")]


def test_a_report_that_is_no_end_is_a_mistake() -> None:
    hall = open_hall()
    hall.submit(make("a"), 0)
    with pytest.raises(ValueError, match="no end"):
        hall.played("a", "hall", ZoneResult(EventType.STARTED), 1)
