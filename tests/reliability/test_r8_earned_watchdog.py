"""R8: WATCHDOG=1 comes while every part moves, and stops when one does not."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from cosyedge.service.caretaker import engine_pulse
from cosyedge.service.ports import EngineStatus
from cosyedge.service.vitals import Pulse, Vitals
from tests.reliability.conftest import MakeNode
from tests.reliability.manager import managed
from tests.reliability.speaking import end_of, say, send, worker_of
from tests.service.fakes import ManualClock, RecordingOutput, ScriptedEngine
from tests.service.test_performance import perform
from tests.support.broker import Broker
from tests.support.listener import listen
from tests.support.node import OUTPUTS, online, start_speaking

QUICK = f"""{OUTPUTS}
[liveness]
canary_interval_s = 1
canary_deadline_s = 1
progress_s = 5
"""


async def test_r8_a_missing_broker_alone_never_stops_it(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(QUICK)
    async with managed(node, tmp_path) as manager:
        node.start()
        await manager.status("broker connected", "engine ready")
        broker.freeze()
        await manager.status("faults: broker")
        await manager.more(20, timeout=60)
        broker.stop()
        await manager.status("broker (broker_unavailable)")
        await manager.more(10, timeout=60)
        broker.start()
        await manager.status("broker connected")
    assert "part does not move" not in node.log


async def test_r8_a_frozen_worker_is_replaced_and_does_not_stop_it(
    make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(QUICK)
    async with managed(node, tmp_path) as manager:
        node.start()
        await manager.status("engine ready")
        frozen = await worker_of(node)
        send(frozen, signal.SIGSTOP)
        await manager.wait(lambda lines: any("(engine_timeout)" in line for line in lines))
        await manager.status("engine ready")
        assert await worker_of(node) != frozen
        await manager.more(5)
    assert "part does not move" not in node.log


async def test_r8_a_journal_that_stands_still_stops_it(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(QUICK)
    node.program = ("-m", "tests.reliability.launcher", "freeze", "stuck")
    async with managed(node, tmp_path) as manager, listen(broker) as listener:
        node.start()
        await online(listener)
        await manager.more(3)
        say(listener, "Yes.", id="stuck")
        # It still tells its status, so it lives: it only has not earned its watchdog.
        await manager.wait(_silent_for(10), timeout=60)
    assert "part does not move: journal" in node.log


async def test_r8_a_stopped_daemon_says_nothing(make_node: MakeNode, tmp_path: Path) -> None:
    node = make_node(QUICK)
    async with managed(node, tmp_path) as manager:
        node.start()
        await manager.more(3)
        node.signal(signal.SIGSTOP)
        with pytest.raises(AssertionError, match="not told"):
            await manager.more(5, timeout=3)


def _silent_for(statuses: int) -> Callable[[list[str]], bool]:
    def silent(lines: list[str]) -> bool:
        since = len(lines) - lines[::-1].index("WATCHDOG=1") if "WATCHDOG=1" in lines else 0
        return sum(line.startswith("STATUS=") for line in lines[since:]) >= statuses

    return silent


class ToldEngine(ScriptedEngine):
    """An engine whose state the test tells."""

    told = EngineStatus("ready")

    def status(self) -> EngineStatus:
        return self.told


@pytest.mark.parametrize(
    ("told", "lives"),
    [
        (EngineStatus("ready", progressed_at=995.0), True),
        (EngineStatus("ready", progressed_at=980.0), False),
        (EngineStatus("busy", progressed_at=900.0, deadline_at=1_001.0), True),
        (EngineStatus("busy", progressed_at=900.0, deadline_at=999.0), False),
        (EngineStatus("restarting", progressed_at=900.0), True),
        (EngineStatus("failed", progressed_at=900.0), True),
    ],
)
def test_r8_an_engine_lives_while_it_answers_or_is_inside_its_deadline(
    told: EngineStatus, lives: bool
) -> None:
    clock, engine = ManualClock(), ToldEngine()
    engine.told = told
    vitals = Vitals(clock, period_s=10.0)
    vitals.watch("engine", engine_pulse(engine, clock))
    assert (not vitals.stuck()) is lives


async def test_r8_an_output_that_takes_nothing_is_past_its_deadline() -> None:
    output = RecordingOutput("hall")
    output.gate.clear()
    performance = perform(output)
    assert performance.deadline_at is None
    task = asyncio.create_task(performance.run())
    while performance.deadline_at is None:
        await asyncio.sleep(0)
    deadline_at = performance.deadline_at
    assert 1_060.0 <= deadline_at < 1_061.0
    clock = ManualClock()
    vitals = Vitals(clock, period_s=10.0)
    vitals.watch("outputs", lambda: Pulse(deadline_at, deadline_at))
    assert not vitals.stuck()
    clock.now = deadline_at + 11
    assert "outputs" in vitals.stuck()
    output.gate.set()
    await task


async def test_r8_a_paused_output_has_no_deadline() -> None:
    output = RecordingOutput("hall")
    output.gate.clear()
    performance = perform(output)
    task = asyncio.create_task(performance.run())
    while performance.deadline_at is None:
        await asyncio.sleep(0)
    await performance.hold(True)
    assert performance.deadline_at is None
    await performance.hold(False)
    assert performance.deadline_at is not None
    output.gate.set()
    await task


async def test_r8_a_worker_that_is_busy_for_long_does_not_stop_it(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(QUICK.replace("progress_s = 5", "progress_s = 1"))
    async with managed(node, tmp_path) as manager, listen(broker) as listener:
        await start_speaking(node, listener)
        frozen = await worker_of(node)
        send(frozen, signal.SIGSTOP)
        say(listener, "A sentence that nobody has heard yet.", id="slow")
        await manager.more(6)
        send(frozen, signal.SIGCONT)
        assert (await end_of(listener, "slow"))["event_type"] == "finished"
