"""What any journal promises, on disk or in memory."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cosyedge.adapters.journal import MemoryJournal, SqliteJournal
from cosyedge.core.events import Event, EventType
from cosyedge.service.ports import Journal
from tests.journal.material import FINISHED, TEXT, SteadyClock, entry, event

AnyJournal = SqliteJournal | MemoryJournal


@pytest.fixture(params=["disk", "memory"])
async def journal(
    request: pytest.FixtureRequest, path: Path, clock: SteadyClock
) -> AsyncIterator[AnyJournal]:
    made = SqliteJournal(path, clock) if request.param == "disk" else MemoryJournal(clock)
    yield made
    await made.close()


def test_both_satisfy_the_port(path: Path, clock: SteadyClock) -> None:
    on_disk: Journal = SqliteJournal(path, clock)
    in_memory: Journal = MemoryJournal(clock)
    assert not on_disk.open_entries()
    assert not in_memory.open_entries()
    on_disk.close_now()


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
    fault = await journal.raise_fault("broker", "tls", "certificate expired")
    again = await journal.raise_fault("broker", "tls", "certificate expired")
    assert again.id == fault.id
    clock.wall_s += 5
    (cleared,) = await journal.clear_fault("broker")
    assert (cleared.id, cleared.cleared_at) == (fault.id, clock.wall_s)
    (acked,) = await journal.ack_faults(fault.id)
    assert acked.acked_at == clock.wall_s
    assert not await journal.ack_faults()
    assert list(journal.faults()) == [acked]
    assert (await journal.raise_fault("broker", "tls", "again")).id == fault.id + 1


async def test_last_99_faults_are_kept(journal: AnyJournal) -> None:
    for number in range(120):
        await journal.raise_fault(f"part{number}", "disk", "full")
    assert [fault.name for fault in journal.faults()] == [f"part{n}" for n in range(119, 20, -1)]


async def test_settings_are_kept_and_forgotten(journal: AnyJournal) -> None:
    await journal.keep_setting("volume", "0.5")
    await journal.keep_setting("volume", "0.7")
    await journal.keep_setting("mute", "ON")
    await journal.keep_setting("mute", None)
    assert journal.settings() == {"volume": "0.7"}


async def test_memory_outbox_is_bounded(clock: SteadyClock) -> None:
    journal = MemoryJournal(clock)
    await journal.tell([event("accepted", str(number)) for number in range(2_500)])
    rows = journal.undelivered(10_000)
    assert len(rows) == 2_000
    assert rows[0].message == event("accepted", "500")
