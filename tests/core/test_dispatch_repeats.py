"""Repeats: how often, when, and what ends them."""

from cosyedge.core.announcement import Repetition
from cosyedge.core.decisions import Start, Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.selectors import Selector
from tests.core.announcing import FINISHED, cuts, make, open_hall, starts, told

ALARM = Repetition(interval_s=10.0, until_ack=True)


def hear(hall: Dispatcher, id: str, now: float, zone: str = "hall") -> list:
    """Let a round end."""
    return hall.played(id, zone, FINISHED, now)


def test_rounds_without_an_interval_follow_at_once() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(3)), 0)
    hall.submit(make("b"), 0)
    rounds = [hear(hall, "a", now) for now in (1, 2)]
    assert [starts(each) for each in rounds] == [[("a", ("hall",), 0)]] * 2
    assert [each[0].round for each in rounds if isinstance(each[0], Start)] == [1, 2]
    ended = hear(hall, "a", 3)
    assert told(ended) == [("a", "finished", None)]
    assert isinstance(ended[0], Tell)
    assert ended[0].details["rounds"] == 3
    assert starts(ended) == [("b", ("hall",), 0)]


def test_higher_one_speaks_between_two_rounds() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(2)), 0)
    hall.submit(make("b", priority=130), 0)
    assert starts(hear(hall, "a", 1)) == [("b", ("hall",), 0)]
    assert starts(hear(hall, "b", 2)) == [("a", ("hall",), 0)]


def test_interval_runs_from_the_end_and_leaves_the_zone_to_others() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(2, 10.0)), 0)
    hall.submit(make("b"), 0)
    assert starts(hear(hall, "a", 4)) == [("b", ("hall",), 0)]
    assert hall.next_deadline() == 14
    hear(hall, "b", 5)
    assert starts(hall.tick(13.9)) == []
    assert starts(hall.tick(14)) == [("a", ("hall",), 0)]


def test_round_after_an_interval_joins_the_end_of_its_class() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(2, 1.0)), 0)
    hall.submit(make("b"), 0)
    hall.submit(make("c"), 0)
    hear(hall, "a", 1)
    hall.tick(2)
    assert starts(hear(hall, "b", 3)) == [("c", ("hall",), 0)]
    assert starts(hear(hall, "c", 4)) == [("a", ("hall",), 0)]


def test_zones_that_spoke_together_repeat_together() -> None:
    hall = open_hall("hall", "yard")
    hall.submit(make("a", zones=["all"], repetition=Repetition(2, 10.0)), 0)
    hear(hall, "a", 3)
    assert hall.next_deadline() is None
    hear(hall, "a", 5, "yard")
    assert starts(hall.tick(15)) == [("a", ("hall", "yard"), 0)]


def test_plain_repeats_end_partial_when_the_time_to_live_is_over() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(3, 10.0), expires_at=20.0), 0)
    hear(hall, "a", 2)
    hall.tick(12)
    assert told(hear(hall, "a", 14)) == [("a", "partial", "expired")]


def test_repeat_that_waits_too_long_ends_partial() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(2, 1.0), expires_at=20.0), 0)
    hear(hall, "a", 2)
    hall.submit(make("b", "high"), 2)
    hall.tick(3)
    assert told(hall.tick(20)) == [("a", "partial", "expired")]


def test_until_ack_goes_on_past_the_time_to_live_until_it_is_acknowledged() -> None:
    hall = open_hall()
    hall.submit(make("alarm", "urgent", repetition=ALARM, expires_at=15.0), 0)
    for now in (2, 14, 26, 38):
        hear(hall, "alarm", now)
        assert starts(hall.tick(now + 10)) == [("alarm", ("hall",), 0)]
    assert hall.acknowledge("alarm", 49) == []
    ended = hear(hall, "alarm", 50)
    assert told(ended) == [("alarm", "finished", None)]
    assert isinstance(ended[0], Tell)
    assert ended[0].details == {"rounds": 5, "acknowledged": True}


def test_acknowledged_between_two_rounds_it_ends_at_once() -> None:
    hall = open_hall()
    hall.submit(make("alarm", repetition=ALARM), 0)
    hear(hall, "alarm", 2)
    assert told(hall.acknowledge("alarm", 3)) == [("alarm", "finished", None)]
    assert hall.acknowledge("alarm", 4) == []
    assert hall.next_deadline() is None


def test_acknowledged_before_its_first_round_it_is_still_spoken_once() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    hall.submit(make("alarm", repetition=ALARM), 0)
    assert hall.acknowledge("alarm", 1) == []
    assert starts(hear(hall, "now", 2)) == [("alarm", ("hall",), 0)]
    assert told(hear(hall, "alarm", 3)) == [("alarm", "finished", None)]


def test_alarm_that_never_was_heard_expires_like_any_other() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    hall.submit(make("alarm", repetition=ALARM, expires_at=5.0), 0)
    assert told(hall.tick(5)) == [("alarm", "expired", "expired")]


def test_max_duration_bounds_all_rounds_together() -> None:
    hall = open_hall()
    hall.submit(make("alarm", repetition=ALARM, max_duration_s=5.0), 0)
    hear(hall, "alarm", 2)
    hall.tick(12)
    assert hall.next_deadline() == 15
    assert cuts(hall.tick(15)) == [("alarm", ("hall",), "max_duration")]


def test_clear_between_two_rounds_ends_the_repeats() -> None:
    hall = open_hall()
    hall.submit(make("alarm", repetition=ALARM), 0)
    hear(hall, "alarm", 2)
    assert told(hall.clear(255, 3)) == [("alarm", "cancelled", "cleared")]
    assert hall.next_deadline() is None


def test_clear_during_a_round_makes_it_the_last() -> None:
    hall = open_hall()
    hall.submit(make("alarm", repetition=ALARM), 0)
    assert hall.clear(255, 1) == []
    assert told(hear(hall, "alarm", 2)) == [("alarm", "cancelled", "cleared")]


def test_cancel_during_a_round_whose_end_comes_first_ends_the_repeats() -> None:
    hall = open_hall()
    hall.submit(make("alarm", repetition=ALARM), 0)
    assert cuts(hall.cancel(Selector(id="alarm"), 255, 1)) != []
    assert told(hear(hall, "alarm", 1.1)) == [("alarm", "cancelled", "cancelled")]


def test_round_that_was_cut_goes_on_and_counts_once() -> None:
    hall = open_hall()
    hall.submit(make("a", repetition=Repetition(2)), 0)
    hall.submit(make("e", "emergency"), 1)
    hall.stopped("a", "hall", 2, 1.1)
    assert starts(hear(hall, "e", 2)) == [("a", ("hall",), 2)]
    assert starts(hear(hall, "a", 3)) == [("a", ("hall",), 0)]
    assert told(hear(hall, "a", 4)) == [("a", "finished", None)]
