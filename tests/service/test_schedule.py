"""The box's own hours: cron form, the node's zone, exceptions, daylight saving, clock steps."""

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from cosyedge.service.schedule import LATE_S, Schedule
from cosyedge.service.settings import ScheduleEntry

BERLIN = ZoneInfo("Europe/Berlin")


def bell(cron: str, *except_days: str) -> ScheduleEntry:
    return ScheduleEntry("bell", cron, {"text": "Ding."}, except_days=frozenset(except_days))


def at(text: str, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).timestamp()


class SetClock:
    """A clock that shows each of its times once, and the last one for ever."""

    def __init__(self, *times: float) -> None:
        self._times = list(times)
        self.shown = times[0]

    def monotonic(self) -> float:
        return 0.0

    def wall(self) -> float:
        self.shown = self._times.pop(0) if len(self._times) > 1 else self._times[0]
        return self.shown


def schedule_of(
    entry: ScheduleEntry, *times: float, said: list[str] | None = None, unset_before: float = 0.0
) -> Schedule:
    clock = SetClock(*times or (0.0,))

    async def say(entry: ScheduleEntry) -> None:
        if said is not None:
            said.append(entry.name)

    return Schedule(
        (entry,),
        clock,
        timezone="Europe/Berlin",
        say=say,
        is_unset=lambda: clock.shown < unset_before,
    )


def rings(entry: ScheduleEntry, since: float, until: float, step_s: float = 30.0) -> list[float]:
    """Walk through the time as the loop does, and give the moments at which it rang."""
    schedule = schedule_of(entry)
    moments = []
    while since < until:
        now = since + step_s
        if schedule.due(since, now):
            moments.append(now)
        since = now
    return moments


def test_hour_is_in_the_nodes_zone() -> None:
    begin = at("2026-12-02T08:54:00")
    assert rings(bell("55 8 * * *"), begin, begin + 600) == [at("2026-12-02T08:55:00")]


@pytest.mark.parametrize(
    ("entry", "count"),
    [
        (bell("0 9 * * mon-fri"), 1),
        (bell("0 9 * * sat,sun"), 0),
        (bell("0 9 * * *", "2026-12-02"), 0),
        (bell("0 9 * * *", "2026-12-03"), 1),
    ],
    ids=["a Wednesday is a weekday", "not a weekend", "an exception", "another day's exception"],
)
def test_days_and_exceptions(entry: ScheduleEntry, count: int) -> None:
    begin = at("2026-12-02T08:50:00")
    assert len(rings(entry, begin, begin + 1800)) == count


def test_hour_that_comes_twice_in_autumn_rings_once() -> None:
    # On 25 October 2026 the hour from two to three comes twice.
    moments = rings(bell("30 2 * * *"), at("2026-10-25T01:00:00"), at("2026-10-25T05:00:00"))
    assert len(moments) == 1


def test_hour_that_is_left_out_in_spring_rings_once() -> None:
    # On 29 March 2026 the hour from two to three is left out.
    moments = rings(bell("30 2 * * *"), at("2026-03-29T00:30:00"), at("2026-03-29T05:00:00"))
    assert len(moments) == 1


def test_every_quarter_goes_on_through_the_hour_that_comes_twice() -> None:
    moments = rings(bell("*/15 * * * *"), at("2026-10-25T01:50:00"), at("2026-10-25T03:20:00"))
    assert len(moments) == 10


def test_hour_that_was_slept_over_is_not_made_up_for() -> None:
    schedule = schedule_of(bell("0 9 * * *"))
    nine = at("2026-12-02T09:00:00")
    assert schedule.due(nine - 3600, nine + LATE_S + 1) == []
    assert schedule.due(nine - 3600, nine + LATE_S - 1) != []


async def test_clock_that_is_set_back_a_little_does_not_ring_twice() -> None:
    nine = at("2026-12-02T09:00:00")
    said: list[str] = []
    # Each round asks once; the loop's pause before nine is short, so no round is long.
    times = (nine - 0.1, nine - 0.05, nine + 0.01, nine - 0.04, nine + 0.02, nine - 0.02)
    await run(schedule_of(bell("0 9 * * *"), *times, said=said))
    assert said == ["bell"]


async def test_clock_that_is_not_set_rings_nothing_and_rings_once_it_is() -> None:
    then, nine = at("2016-12-02T09:00:00"), at("2026-12-02T09:00:00")
    said: list[str] = []
    times = (then - 0.1, then + 0.1, nine - 3600, nine - 0.1)
    await run(schedule_of(bell("0 9 * * *"), *times, said=said, unset_before=nine - 7200))
    assert said == []
    times = (*times, nine + 0.1)
    await run(schedule_of(bell("0 9 * * *"), *times, said=said, unset_before=nine - 7200))
    assert said == ["bell"]
    await run(schedule_of(bell("0 9 * * *"), *times, said=said))
    assert said == ["bell"] * 3


async def run(schedule: Schedule) -> None:
    """A few rounds of the loop, without its pauses."""
    schedule._pause_s = lambda now: 0.0  # type: ignore[method-assign]
    task = asyncio.create_task(schedule.run())
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
