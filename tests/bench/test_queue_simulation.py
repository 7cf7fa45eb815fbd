"""The simulation finds the dispatcher right, and would find it wrong."""

from random import Random

from cosyedge.bench.queue_simulation import (
    LIMITS,
    ZONES,
    count_differences,
    make_announcements,
    run,
)
from cosyedge.bench.simulated_hall import Hall
from cosyedge.core.announcement import CLASSES
from cosyedge.core.dispatch import Dispatcher


def test_simulation_has_no_order_errors_and_leaves_nothing_open() -> None:
    result = run(1_500, seed=7)
    assert result.order_errors == 0
    assert result.open_at_end == 0
    assert result.starts > 1_000
    assert result.cuts > 100
    assert result.as_dict()["sim_per_s"] > 0


def test_simulation_counts_a_wrong_order() -> None:
    calls = Hall(Dispatcher(ZONES, LIMITS), make_announcements(300, 7), Random(7)).run()
    assert count_differences(calls) == 0
    starting = next(call for call in calls[50:] if call.decisions)
    calls[calls.index(starting)] = starting._replace(decisions=[])
    assert count_differences(calls) == 1


def test_scenario_is_the_same_for_the_same_seed_and_holds_every_class() -> None:
    announcements = make_announcements(500, 3)
    assert announcements == make_announcements(500, 3)
    assert {announcement.class_name for announcement in announcements} == set(CLASSES)
    assert {zone for announcement in announcements for zone in announcement.zones} == set(ZONES)
    times = [announcement.received_at for announcement in announcements]
    assert times == sorted(times)
