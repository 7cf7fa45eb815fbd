"""Who speaks first in one zone, who is cut, and how the cut one goes on."""

import pytest

from cosyedge.core.announcement import CLASSES, Interrupt, Resume
from tests.core.announcing import FINISHED, cuts, make, open_hall, starts, told


def test_free_zone_speaks_at_once() -> None:
    hall = open_hall()
    decisions = hall.submit(make("a"), 0)
    assert told(decisions) == [("a", "accepted", None)]
    assert starts(decisions) == [("a", ("hall",), 0)]


def test_waiting_ones_follow_by_class_and_then_by_arrival() -> None:
    hall = open_hall()
    hall.submit(make("now", "emergency"), 0)
    names = [*CLASSES, *CLASSES]
    for number, name in enumerate(names):
        hall.submit(make(f"{name}{number}", name), 0)
    order, playing = [], "now"
    while started := starts(hall.played(playing, "hall", FINISHED, 1)):
        playing = started[0][0]
        order.append(playing)
    expected = [f"{name}{number}" for name in reversed(CLASSES) for number in range(12)]
    assert order == [id for id in expected if id in {f"{n}{i}" for i, n in enumerate(names)}]


def test_priorities_between_the_classes_are_ordered_too() -> None:
    hall = open_hall()
    hall.submit(make("now", "emergency"), 0)
    for priority in (101, 120, 100, 119):
        hall.submit(make(f"p{priority}", priority=priority), 0)
    hall.played("now", "hall", FINISHED, 1)
    assert [item.id for item in hall.view().items] == ["p120", "p119", "p101", "p100"]
    assert hall.view().playing == {"hall": "p120"}


def test_higher_class_cuts_and_the_cut_one_goes_on_at_its_sentence() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("later", "low"), 0)
    assert cuts(hall.submit(make("high", "high"), 1)) == [("low", ("hall",), "preempted")]
    stopped = hall.stopped("low", "hall", 1, 1.15)
    assert told(stopped) == [("low", "interrupted", "preempted")]
    assert starts(stopped) == [("high", ("hall",), 0)]
    resumed = hall.played("high", "hall", FINISHED, 4)
    assert ("low", "resumed", None) in told(resumed)
    assert starts(resumed) == [("low", ("hall",), 1)]


def test_nothing_starts_before_the_fade_is_over() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    assert starts(hall.submit(make("high", "high"), 1)) == []
    assert starts(hall.submit(make("more", "high"), 1)) == []
    assert starts(hall.tick(1.1)) == []


def test_cut_one_begins_again_where_it_asks_for_that() -> None:
    hall = open_hall()
    hall.submit(make("low", "low", resume=Resume.START), 0)
    hall.submit(make("high", "high"), 1)
    hall.stopped("low", "hall", 2, 1)
    assert starts(hall.played("high", "hall", FINISHED, 2)) == [("low", ("hall",), 0)]


def test_cut_one_ends_where_it_asks_to_be_dropped() -> None:
    hall = open_hall()
    hall.submit(make("low", "low", resume=Resume.DROP), 0)
    hall.submit(make("high", "high"), 1)
    assert told(hall.stopped("low", "hall", 2, 1)) == [("low", "cancelled", "preempted")]


def test_cut_after_its_last_sentence_is_finished() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("high", "high"), 1)
    assert told(hall.stopped("low", "hall", 3, 1)) == [("low", "finished", None)]


def test_end_that_comes_before_the_fade_counts() -> None:
    hall = open_hall()
    hall.submit(make("low", "low", resume=Resume.DROP), 0)
    hall.submit(make("high", "high"), 1)
    played = hall.played("low", "hall", FINISHED, 1)
    assert told(played) == [("low", "finished", None)]
    assert starts(played) == [("high", ("hall",), 0)]
    assert hall.stopped("low", "hall", 1, 1.1) == []


def test_less_than_forty_above_waits() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    assert cuts(hall.submit(make("next", priority=139), 0)) == []
    assert cuts(hall.submit(make("over", priority=140), 0)) != []


def test_interrupt_never_waits_even_as_emergency() -> None:
    hall = open_hall()
    hall.submit(make("now", "background"), 0)
    assert cuts(hall.submit(make("e", "emergency", interrupt=Interrupt.NEVER), 0)) == []


def test_interrupt_always_cuts_its_equal_and_goes_before_it() -> None:
    hall = open_hall()
    hall.submit(make("now"), 0)
    hall.submit(make("waits"), 0)
    assert cuts(hall.submit(make("always", interrupt=Interrupt.ALWAYS), 0)) != []
    assert starts(hall.stopped("now", "hall", 0, 0)) == [("always", ("hall",), 0)]
    assert starts(hall.played("always", "hall", FINISHED, 1)) == [("now", ("hall",), 0)]


@pytest.mark.parametrize("running", ["high", "urgent", "emergency"])
def test_interrupt_always_never_cuts_a_higher_one(running: str) -> None:
    hall = open_hall()
    hall.submit(make("now", running), 0)
    assert cuts(hall.submit(make("always", interrupt=Interrupt.ALWAYS), 0)) == []


def test_two_that_cut_always_do_not_cut_each_other() -> None:
    hall = open_hall()
    hall.submit(make("one", interrupt=Interrupt.ALWAYS), 0)
    assert cuts(hall.submit(make("two", interrupt=Interrupt.ALWAYS), 0)) == []


def test_cut_of_a_cut_goes_on_in_order() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("high", "high"), 1)
    hall.stopped("low", "hall", 1, 1)
    hall.submit(make("emergency", "emergency"), 2)
    assert starts(hall.stopped("high", "hall", 2, 2)) == [("emergency", ("hall",), 0)]
    assert starts(hall.played("emergency", "hall", FINISHED, 3)) == [("high", ("hall",), 2)]
    assert starts(hall.played("high", "hall", FINISHED, 4)) == [("low", ("hall",), 1)]


def test_urgent_that_comes_during_the_fade_takes_the_zone() -> None:
    hall = open_hall()
    hall.submit(make("low", "low"), 0)
    hall.submit(make("high", "high"), 1)
    assert cuts(hall.submit(make("emergency", "emergency"), 1)) == []
    assert starts(hall.stopped("low", "hall", 1, 1.1)) == [("emergency", ("hall",), 0)]


def test_zone_that_fell_silent_by_itself_goes_on() -> None:
    hall = open_hall()
    hall.submit(make("a"), 0)
    decisions = hall.stopped("a", "hall", 1, 1)
    assert starts(decisions) == [("a", ("hall",), 1)]
