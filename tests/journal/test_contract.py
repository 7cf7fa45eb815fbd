"""What any journal promises, on disk or in memory."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest

from cosyedge.adapters.journal import FallbackJournal, MemoryJournal, SqliteJournal
from cosyedge.core.events import Event, EventType
from cosyedge.service.ports import FaultLog, Journal, SettingsStore
from tests.journal.material import FINISHED, TEXT, SteadyClock, entry, event

AnyJournal = SqliteJournal | MemoryJournal


@pytest.fixture(params=["disk", "memory"])
async def journal(
    request: pytest.FixtureRequest, path: Path, clock: SteadyClock
) -> AsyncIterator[AnyJournal]:
    made = SqliteJournal(path, clock) if request.param == "disk" else MemoryJournal(clock)
    yield made
    await made.close()


class Ports(Journal, FaultLog, SettingsStore, Protocol):
    """The three ports that a journal serves."""


async def test_each_serves_the_ports(path: Path, clock: SteadyClock) -> None:
    disk, memory = SqliteJournal(path, clock), MemoryJournal(clock)
    ports: list[Ports] = [disk, memory, FallbackJournal(lambda: disk, memory, clock)]
    assert not any(port.open_entries() for port in ports)
    await disk.close()


async def test_accepted_and_ended_ids_are_known(journal: AnyJournal) -> None:
    assert not journal.ended_within_a_day("a")
    await journal.accept(entry("a"), [])
    assert journal.ended_within_a_day("a")
    await journal.end("a", FINISHED, [])
    assert journal.ended_within_a_day("a")
    assert not journal.ended_within_a_day("b")


async def test_an_id_is_forgotten_after_a_day_of_running(
    journal: AnyJournal, clock: SteadyClock
) -> None:
    await journal.accept(entry("a"), [])
    clock.monotonic_s += 86_399
    assert journal.ended_within_a_day("a")
    clock.monotonic_s += 2
    assert not journal.ended_within_a_day("a")


async def test_steps_of_the_wall_clock_forget_no_id(
    journal: AnyJournal, clock: SteadyClock
) -> None:
    await journal.accept(entry("a"), [])
    clock.wall_s += 10 * 365 * 86_400
    await journal.accept(entry("b"), [])
    assert journal.ended_within_a_day("a")
    clock.wall_s = 0.0
    assert journal.ended_within_a_day("b")


async def test_second_end_of_an_id_is_a_programming_error(journal: AnyJournal) -> None:
    await journal.accept(entry("a"), [])
    await journal.end("a", FINISHED, [event("finished", "a")])
    with pytest.raises(ValueError, match="not open"):
        await journal.end("a", FINISHED, [event("finished", "a")])
    assert [row.message for row in journal.undelivered(9)] == [event("finished", "a")]


async def test_an_open_id_is_not_accepted_twice(journal: AnyJournal) -> None:
    await journal.accept(entry("a"), [])
    with pytest.raises(ValueError, match="open already"):
        await journal.accept(entry("a"), [event("accepted", "a")])
    assert not journal.undelivered(9)


async def test_a_bad_call_costs_its_neighbours_nothing(journal: AnyJournal) -> None:
    calls = [journal.accept(entry(str(number)), []) for number in range(20)]
    calls.insert(10, journal.end("nobody", FINISHED, []))
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results if result is not None] == [ValueError]
    assert all(journal.ended_within_a_day(str(number)) for number in range(20))


async def test_outbox_keeps_the_order_of_the_calls(journal: AnyJournal) -> None:
    sent = []
    calls = []
    for number in range(200):
        messages = [event("accepted", str(number)), event("started", str(number))]
        calls.append(journal.tell(messages))
        sent += messages
    await asyncio.gather(*calls)
    rows = journal.undelivered(1000)
    assert [row.message for row in rows] == sent
    assert [row.seq for row in rows] == sorted({row.seq for row in rows})
    await journal.delivered(row.seq for row in rows[:150])
    assert [row.message for row in journal.undelivered(3)] == sent[150:153]


async def test_history_tells_who_when_where_and_how_but_not_what(journal: AnyJournal) -> None:
    await journal.accept(entry("a"), [])
    await journal.note("a", "started", 1)
    await journal.end("a", FINISHED, [])
    (row,) = journal.history()
    assert (row.id, row.topic, row.priority) == ("a", "cosyedge/hall/say", 100)
    assert (row.outcome, row.zones) == ("finished", {"hall": ("finished", None)})
    assert row.details == {"cached": True, "timings": {"queue_ms": 3}}
    assert row.text is None
    assert TEXT.decode() not in repr(row)


async def test_history_is_newest_first_and_may_begin_late(
    journal: AnyJournal, clock: SteadyClock
) -> None:
    for number in range(5):
        await journal.accept(entry(str(number)), [])
        clock.wall_s += 10
        await journal.end(str(number), Event(EventType.EXPIRED, None, "expired"), [])
    assert [row.id for row in journal.history(limit=2)] == ["4", "3"]
    assert [row.id for row in journal.history(since=clock.wall_s - 10)] == ["4", "3"]


async def test_fault_is_latched_until_acknowledged(journal: AnyJournal, clock: SteadyClock) -> None:
    journal.fault_raised("broker", "tls")
    journal.fault_raised("broker", "tls")
    clock.wall_s += 5
    journal.fault_cleared("broker")
    await journal.tell([])
    (fault,) = journal.faults()
    assert (fault.name, fault.code, fault.acked_at) == ("broker", "tls", None)
    assert fault.cleared_at == clock.wall_s
    journal.fault_acknowledged("broker")
    await journal.tell([])
    assert journal.faults()[0].acked_at == clock.wall_s
    journal.fault_raised("broker", "tls")
    await journal.tell([])
    assert [seen.id for seen in journal.faults()] == [fault.id + 1, fault.id]


async def test_another_code_of_a_part_takes_the_place_of_the_first(journal: AnyJournal) -> None:
    journal.fault_raised("output.hall", "device_busy")
    journal.fault_raised("output.hall", "device_missing")
    await journal.tell([])
    codes = {fault.code: fault.cleared_at is None for fault in journal.faults()}
    assert codes == {"device_missing": True, "device_busy": False}


async def test_last_99_faults_are_kept(journal: AnyJournal) -> None:
    for number in range(120):
        journal.fault_raised(f"part{number}", "disk")
    await journal.tell([])
    assert [fault.name for fault in journal.faults()] == [f"part{n}" for n in range(119, 20, -1)]


async def test_settings_are_kept_and_forgotten(journal: AnyJournal) -> None:
    journal.set_setting("volume", "0.5")
    journal.set_setting("volume", "0.7")
    journal.set_setting("mute", "ON")
    journal.set_setting("mute", None)
    await journal.tell([])
    assert journal.settings() == {"volume": "0.7"}


async def test_state_and_its_events_are_one(journal: AnyJournal) -> None:
    await journal.accept(entry("a"), [])
    await journal.note("a", "started", 0, [event("started", "a")])
    with pytest.raises(ValueError, match="not open"):
        await journal.note("b", "started", 0, [event("started", "b")])
    assert [row.message for row in journal.undelivered(9)] == [event("started", "a")]


async def test_memory_outbox_is_bounded(clock: SteadyClock) -> None:
    journal = MemoryJournal(clock)
    await journal.tell([event("accepted", str(number)) for number in range(2_500)])
    rows = journal.undelivered(10_000)
    assert len(rows) == 2_000
    assert rows[0].message == event("accepted", "500")
