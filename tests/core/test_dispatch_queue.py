"""The queue's bounds, copies, replacements, and what waited through an outage."""

import pytest

from cosyedge.core.announcement import Origin
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.decisions import Tell
from cosyedge.core.dispatch import Dispatcher
from tests.core.announcing import FINISHED, cuts, make, open_hall, starts, told


def full_hall(*waiting: str, **limits: int) -> Dispatcher:
    """A hall where an emergency speaks and the given classes wait, ids w0, w1, ..."""
    hall = open_hall(limits=QueueLimits(**{"max_items": len(waiting), **limits}))
    hall.submit(make("now", "emergency"), 0)
    for number, name in enumerate(waiting):
        hall.submit(make(f"w{number}", name, size_bytes=10), 0)
    return hall


def test_newcomer_that_does_not_outrank_the_lowest_is_rejected() -> None:
    hall = full_hall("normal", "normal")
    assert told(hall.submit(make("new"), 1)) == [("new", "rejected", "queue_full")]
    assert told(hall.submit(make("low", "low"), 1)) == [("low", "rejected", "queue_full")]


def test_newcomer_that_outranks_pushes_out_the_lowest_and_oldest() -> None:
    hall = full_hall("normal", "low", "low")
    assert told(hall.submit(make("new"), 1)) == [
        ("new", "accepted", None),
        ("w1", "cancelled", "queue_full"),
    ]
    assert hall.view().waiting == {"normal": 2, "low": 1}


def test_emergency_is_never_pushed_out() -> None:
    hall = full_hall("emergency", "emergency")
    assert told(hall.submit(make("e", "emergency"), 1)) == [("e", "rejected", "queue_full")]
    assert told(hall.submit(make("u", "urgent"), 1)) == [("u", "rejected", "queue_full")]


def test_bytes_count_as_well_and_may_cost_several_places() -> None:
    hall = full_hall("low", "low", "normal", max_items=10, max_bytes=30)
    assert told(hall.submit(make("big", "high", size_bytes=15), 1)) == [
        ("big", "accepted", None),
        ("w0", "cancelled", "queue_full"),
        ("w1", "cancelled", "queue_full"),
    ]
    assert hall.view().waiting_bytes == 25


def test_nobody_is_pushed_out_for_one_that_does_not_fit_anyway() -> None:
    hall = full_hall("low", "normal", max_items=10, max_bytes=20)
    huge = make("huge", "normal", size_bytes=15)
    assert told(hall.submit(huge, 1)) == [("huge", "rejected", "queue_full")]
    assert len(hall.view().items) == 3


def test_newcomer_to_an_idle_zone_needs_no_room() -> None:
    hall = open_hall("hall", "yard", limits=QueueLimits(max_items=1))
    hall.submit(make("now"), 0)
    hall.submit(make("waits"), 0)
    assert starts(hall.submit(make("a", zones=["yard"]), 0)) == [("a", ("yard",), 0)]
    assert told(hall.submit(make("b", zones=["yard"]), 0)) == [("b", "rejected", "queue_full")]


def test_room_that_was_taken_after_consideration_ends_the_accepted_one() -> None:
    hall = full_hall("normal", max_items=2)
    assert hall.consider(make("slow"), 1) is None
    assert hall.consider(make("quick"), 1) is None
    assert told(hall.admit(make("quick"), 1)) == [("quick", "accepted", None)]
    assert told(hall.admit(make("slow"), 1)) == [
        ("slow", "accepted", None),
        ("slow", "cancelled", "queue_full"),
    ]


def test_id_is_a_duplicate_while_considered_open_and_for_a_day_after_its_end() -> None:
    hall = open_hall()
    copy = ("a", "duplicate", None)
    assert hall.consider(make("a"), 0) is None
    assert told([hall.consider(make("a"), 0)]) == [copy]
    hall.admit(make("a"), 0)
    assert told(hall.submit(make("a"), 1)) == [copy]
    assert told(hall.admit(make("a"), 1)) == [copy]
    hall.played("a", "hall", FINISHED, 2)
    assert told(hall.submit(make("a"), 86_401)) == [copy]
    assert told(hall.submit(make("a", expires_at=9e9), 86_402)) == [("a", "accepted", None)]


def test_withdrawn_id_and_content_are_free_again() -> None:
    hall = open_hall()
    first = make("a", content_key="same")
    assert hall.consider(first, 0) is None
    hall.withdraw(first)
    assert hall.consider(make("a", content_key="same"), 0) is None


def test_ended_ids_are_forgotten_by_number_too() -> None:
    hall = open_hall(limits=QueueLimits(remembered_ids=3))
    for number in range(5):
        hall.submit(make(f"a{number}"), 0)
        hall.played(f"a{number}", "hall", FINISHED, 0)
    assert [hall.knows(f"a{number}", 1) for number in range(5)] == [False, False, True, True, True]


def test_same_content_within_two_seconds_is_coalesced() -> None:
    hall = open_hall()
    hall.submit(make("a", content_key="same"), 10.0)
    again = hall.submit(make("b", content_key="same"), 11.9)
    assert told(again) == [("b", "coalesced", None)]
    assert isinstance(again[0], Tell)
    assert again[0].details == {"into": "a"}
    assert told(hall.submit(make("c", content_key="other"), 11.9)) == [("c", "accepted", None)]
    assert told(hall.submit(make("d", content_key="same"), 12.0)) == [("d", "accepted", None)]


def test_newer_one_of_a_key_replaces_the_waiting_one() -> None:
    hall = full_hall("normal", max_items=5)
    hall.submit(make("old", coalesce_key="door"), 1)
    assert told(hall.submit(make("new", coalesce_key="door"), 2)) == [
        ("new", "accepted", None),
        ("old", "cancelled", "replaced"),
    ]


def test_newer_one_of_a_key_needs_no_more_room_than_it_frees() -> None:
    hall = full_hall("normal", max_items=2)
    hall.submit(make("old", coalesce_key="door"), 1)
    decisions = hall.submit(make("new", coalesce_key="door"), 2)
    assert told(decisions)[-1] == ("old", "cancelled", "replaced")


def test_replace_cuts_the_playing_one() -> None:
    hall = open_hall()
    hall.submit(make("old", coalesce_key="door"), 0)
    decisions = hall.submit(make("new", coalesce_key="door", replace=True), 1)
    assert cuts(decisions) == [("old", ("hall",), "replaced")]
    ended = hall.stopped("old", "hall", 1, 1.1)
    assert told(ended) == [("old", "cancelled", "replaced")]
    assert starts(ended) == [("new", ("hall",), 0)]


def test_without_replace_the_playing_one_is_heard_to_its_end() -> None:
    hall = open_hall()
    hall.submit(make("old", coalesce_key="door"), 0)
    assert cuts(hall.submit(make("new", coalesce_key="door", replace=False), 1)) == []
    ended = hall.played("old", "hall", FINISHED, 2)
    assert told(ended) == [("old", "finished", None)]
    assert starts(ended) == [("new", ("hall",), 0)]


def test_replacement_does_not_reach_above_its_grant() -> None:
    hall = open_hall()
    hall.submit(make("old", "urgent", coalesce_key="door"), 0)
    new = make("new", coalesce_key="door", origin=Origin(grant=160))
    assert told(hall.submit(new, 1)) == [("new", "accepted", None)]


def test_restored_ones_speak_in_order_within_the_burst_and_the_expired_end() -> None:
    hall = open_hall(limits=QueueLimits(burst_max=2))
    waited = [
        make("low", "low"),
        make("old", expires_at=5.0),
        make("first"),
        make("high", "high"),
        make("second"),
    ]
    decisions = hall.restore(waited, 10.0)
    assert sorted(told(decisions)) == [
        ("low", "cancelled", "burst_limit"),
        ("old", "expired", "expired"),
        ("second", "cancelled", "burst_limit"),
    ]
    assert starts(decisions) == [("high", ("hall",), 0)]
    assert starts(hall.played("high", "hall", FINISHED, 11)) == [("first", ("hall",), 0)]
    assert starts(hall.played("first", "hall", FINISHED, 12)) == []
    assert hall.view().items == ()


def test_restored_one_goes_on_at_its_part_as_resumed() -> None:
    hall = open_hall()
    decisions = hall.restore([make("a"), make("b")], 1.0, {"a": 2})
    assert starts(decisions) == [("a", ("hall",), 2)]
    assert told(decisions) == [("a", "resumed", None)]
    assert told(hall.submit(make("b"), 2)) == [("b", "duplicate", None)]


def test_backlog_of_the_broker_is_told_as_accepted() -> None:
    hall = open_hall(limits=QueueLimits(burst_max=1))
    decisions = hall.restore([make("a"), make("b")], 0, accepted=False)
    assert told(decisions) == [
        ("a", "accepted", None),
        ("b", "accepted", None),
        ("b", "cancelled", "burst_limit"),
    ]


@pytest.mark.parametrize("count", [1, 50])
def test_view_counts_what_waits_by_class(count: int) -> None:
    hall = open_hall()
    hall.submit(make("now", size_bytes=5), 0)
    for number in range(count):
        hall.submit(make(f"a{number}", "low", size_bytes=7), 0)
    view = hall.view()
    assert view.playing == {"hall": "now"}
    assert view.waiting == {"low": count}
    assert view.waiting_bytes == 7 * count
    assert view.items[0].id == "now"
    assert view.items[0].stages == {"hall": "playing"}
