"""R7: an emergency does not wait for a lower one's synthesis, nor is it lost to a stepped clock."""

import signal
from pathlib import Path

import pytest

from tests.reliability.conftest import MakeNode
from tests.reliability.speaking import LONG, end_of, say, send, worker_of
from tests.support.broker import Broker
from tests.support.listener import Heard, listen
from tests.support.node import BASE, OUTPUTS, start_speaking

HOUR_S, YEAR_S = 3600, 365 * 86_400


def _synthesizes(heard: Heard) -> bool:
    return heard.topic == f"{BASE}/state" and heard.json["state"] == "synthesizing"


async def test_r7_an_emergency_is_heard_before_what_was_being_synthesized(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(OUTPUTS)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        worker = await worker_of(node)
        # Stopped, so that the lower one's synthesis is surely in hand.
        send(worker, signal.SIGSTOP)
        say(listener, LONG, id="long")
        await listener.wait(_synthesizes)
        say(listener, "Fire.", topic="say/emergency", id="fire")
        await listener.event("accepted", id="fire")
        send(worker, signal.SIGCONT)
        assert (await end_of(listener, "fire"))["event_type"] == "finished"
        assert (await end_of(listener, "long"))["event_type"] == "finished"
        started = [
            heard.json["id"]
            for heard in listener.heard
            if heard.topic == f"{BASE}/event" and heard.json["event_type"] == "started"
        ]
        assert started[-2:] == ["fire", "long"]
        assert not node.log.count("worker lost")


@pytest.mark.parametrize("step_s", [HOUR_S, -HOUR_S, 10 * YEAR_S, -10 * YEAR_S])
async def test_r3_a_stepped_clock_ends_nothing_and_keeps_nothing_too_long(
    broker: Broker, make_node: MakeNode, tmp_path: Path, step_s: int
) -> None:
    offset = tmp_path / "offset"
    offset.write_text("0")
    node = make_node(f"{OUTPUTS}\n[engine]\ndeadline_min_s = 30\n")
    node.program = ("-m", "tests.reliability.launcher", "clock", str(offset))
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        worker = await worker_of(node)
        send(worker, signal.SIGSTOP)
        say(listener, "The patient one.", id="patient", ttl=60)
        say(listener, "The hasty one.", id="hasty", ttl=1)
        await listener.event("accepted", id="hasty")
        offset.with_suffix(".new").write_text(str(step_s))
        offset.with_suffix(".new").replace(offset)
        assert (await end_of(listener, "hasty"))["event_type"] == "expired"
        send(worker, signal.SIGCONT)
        assert (await end_of(listener, "patient"))["event_type"] == "finished"
