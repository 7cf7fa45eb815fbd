"""The wall clock at the daemon: what it cannot show, and what is done while it is wrong."""

import json
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

import cosyedge
from cosyedge.core.announcement import CLASSES
from cosyedge.core.policy import UNKNOWN_MINUTE, QuietHours, ZoneRules, judge
from cosyedge.daemon.clock import SystemClock, minute_of_day, put_here_at, timekeeper
from cosyedge.service.timekeeper import SLACK_S, Timekeeper
from tests.reliability.conftest import MakeNode
from tests.reliability.conftest import make_node as make_node
from tests.reliability.manager import managed
from tests.reliability.speaking import end_of, say
from tests.service.fakes import ManualClock
from tests.support.broker import Broker
from tests.support.listener import Heard, listen
from tests.support.node import BASE, OUTPUTS, ask, start_speaking

NORMAL = CLASSES["normal"]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of history."""

    ended_at: float


@dataclass(frozen=True, slots=True)
class Rows:
    """A history."""

    rows: tuple[Row, ...] = ()

    def history(self, since: float = 0.0, limit: int = 100) -> tuple[Row, ...]:
        return self.rows[:limit]


def test_the_package_knows_when_it_was_released() -> None:
    changes = (Path(cosyedge.__file__).parents[1] / "CHANGELOG.md").read_text()
    found = re.search(rf"^## {re.escape(cosyedge.__version__)} - (\S+)$", changes, re.MULTILINE)
    assert found is not None
    assert found[1] == cosyedge.__released__
    assert put_here_at() <= datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp()


def test_our_own_clock_is_well() -> None:
    assert timekeeper(SystemClock(), Rows()).fault() is None


def test_a_clock_before_the_last_row_of_the_journal_is_unset() -> None:
    clock = SystemClock()
    assert timekeeper(clock, Rows((Row(time.time() + 3600),))).fault() == "clock_unset"
    assert timekeeper(clock, Rows((Row(time.time() + SLACK_S / 2),))).fault() is None


def test_an_unset_clock_shows_no_minute() -> None:
    clock = ManualClock()
    right, wrong = (
        Timekeeper(clock.wall, clock.monotonic, not_before=clock.wall() + late) for late in (-1, 1)
    )
    assert minute_of_day(clock, right, "UTC")() == (clock.wall() % 86_400) // 60
    assert minute_of_day(clock, wrong, "UTC")() == UNKNOWN_MINUTE


def test_at_an_unknown_hour_quiet_hours_silence_nothing_and_soften_all() -> None:
    silent, soft = QuietHours(0, 1439), QuietHours(0, 60, volume=0.25)
    assert judge(ZoneRules(quiet=(silent,)), NORMAL, UNKNOWN_MINUTE).audible
    assert judge(ZoneRules(quiet=(soft,)), NORMAL, UNKNOWN_MINUTE).volume == 0.25
    assert not judge(ZoneRules(muted=True, quiet=(silent,)), NORMAL, UNKNOWN_MINUTE).audible


def is_fault(heard: Heard, event_type: str) -> bool:
    if heard.topic != f"{BASE}/event":
        return False
    event = heard.json
    return (event["event_type"], event.get("id")) == (event_type, "clock")


QUIET = f"""{OUTPUTS}
[zones.default]
outputs = ["broker"]
quiet_hours = {{ start = "00:00", end = "23:59", below = "urgent" }}
"""


@pytest.mark.parametrize("years", [-40, 10])
async def test_r9_a_wrong_clock_is_told_latched_and_cleared_when_it_is_right(
    broker: Broker, make_node: MakeNode, tmp_path: Path, years: int
) -> None:
    offset = tmp_path / "offset"
    offset.write_text("0")
    node = make_node(OUTPUTS)
    node.program = ("-m", "tests.reliability.launcher", "clock", str(offset))
    async with managed(node, tmp_path) as manager, listen(broker) as listener:
        await start_speaking(node, listener)
        set_by(offset, years * 365 * 86_400)
        raised = await listener.wait(lambda heard: is_fault(heard, "fault_raised"))
        code = "clock_unset" if years < 0 else "clock_jumped"
        assert raised[0].json["reason"] == code
        await manager.status(f"faults: clock ({code})")
        say(listener, "Spoken all the same.", id="a")
        assert (await end_of(listener, "a"))["event_type"] == "finished"
        set_by(offset, 0)
        await listener.wait(lambda heard: is_fault(heard, "fault_cleared"))
        kept = (await ask(listener, "faults"))["faults"]
        assert [(each["id"], each["acknowledged_at"]) for each in kept] == [("clock", None)]
        assert sum(is_fault(heard, "fault_raised") for heard in listener.heard) == 1


async def test_quiet_hours_hold_nothing_back_until_the_hour_is_known(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    offset = tmp_path / "offset"
    set_by(offset, -time.time())
    node = make_node(QUIET)
    node.program = ("-m", "tests.reliability.launcher", "clock", str(offset))
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        say(listener, "Nobody knows how late it is.", id="a")
        assert (await end_of(listener, "a"))["event_type"] == "finished"
        set_by(offset, 0)
        await listener.wait(lambda heard: is_fault(heard, "fault_cleared"))
        say(listener, "Now it is known.", id="b")
        suppressed = await end_of(listener, "b")
        assert (suppressed["event_type"], suppressed["reason"]) == ("suppressed", "quiet_hours")


def set_by(offset: Path, seconds: float) -> None:
    """Set the daemon's clock off, in one step."""
    fresh = offset.with_suffix(".new")
    fresh.write_text(json.dumps(seconds))
    fresh.replace(offset)
