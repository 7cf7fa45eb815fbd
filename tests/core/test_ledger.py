"""The ledger ends each id once and keeps nothing of it but the id."""

import pytest

from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.job import Job, Leg, Zone
from cosyedge.core.ledger import Ledger
from cosyedge.core.policy import ZoneRules
from tests.core.announcing import FINISHED, make


def accept(ledger: Ledger, id: str, *results: ZoneResult) -> Job:
    """An accepted announcement whose zones have these results."""
    announcement = make(id, coalesce_key="door", content_key=id, size_bytes=10)
    job = Job(announcement, seq=1)
    for number, result in enumerate(results):
        zone = Zone(f"z{number}", ZoneRules())
        job.legs[zone.name] = Leg(job, zone, 1, 120.0, result=result)
    ledger.reserve(announcement, 0.0)
    ledger.accept(job)
    return job


def test_second_end_of_an_id_is_a_mistake() -> None:
    ledger = Ledger()
    job = accept(ledger, "a", FINISHED)
    ledger.end(job, 1.0, 10)
    with pytest.raises(KeyError):
        ledger.end(job, 1.0, 10)


def test_open_id_cannot_be_accepted_again() -> None:
    ledger = Ledger()
    accept(ledger, "a", FINISHED)
    with pytest.raises(ValueError, match="open"):
        accept(ledger, "a", FINISHED)


def test_end_carries_the_result_of_every_zone() -> None:
    ledger = Ledger()
    busy = ZoneResult(EventType.CANCELLED, "zone_busy")
    end = ledger.end(accept(ledger, "a", FINISHED, busy), 1.0, 10)
    assert (end.type, end.reason) == (EventType.PARTIAL, "zone_busy")
    assert end.zones == {"z0": FINISHED, "z1": busy}


def test_ended_one_counts_no_more_and_replaces_nothing() -> None:
    ledger = Ledger()
    job = accept(ledger, "a", FINISHED)
    newer = make("b", coalesce_key="door")
    assert list(ledger.older_of(newer)) == [job]
    ledger.end(job, 1.0, 10)
    assert list(ledger.older_of(newer)) == []
    assert (len(ledger), len(ledger.backlog), ledger.backlog.bytes) == (0, 0, 0)


def test_contents_are_kept_for_two_seconds_only() -> None:
    ledger = Ledger()
    for number in range(1_000):
        ledger.reserve(make(f"a{number}", content_key=f"c{number}"), number / 100)
    assert len(ledger._contents) <= 200
