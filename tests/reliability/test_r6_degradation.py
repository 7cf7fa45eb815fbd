"""R6 and R9: workers and players that fail at the daemon; it speaks on, says so and recovers."""

import json
import signal
import sys
from pathlib import Path

import pytest

from tests.reliability.conftest import MakeNode
from tests.reliability.speaking import (
    LONG,
    children_of,
    end_of,
    say,
    send,
    until,
)
from tests.support.broker import Broker
from tests.support.listener import Heard, listen
from tests.support.node import BASE, OUTPUTS, ask, start_speaking, workers_of

QUICK = f"{OUTPUTS}\n[engine]\ndeadline_min_s = 1\ndeadline_factor = 1\n[liveness]\n"
#: Plays like a pipe to a device, dies at once, or takes nothing: as the file beside it says.
PLAYER = """
import pathlib, sys, time
mode = pathlib.Path(sys.argv[1]).read_text()
if mode == "gone":
    sys.exit("cannot open device: No such file or directory")
if mode == "stuck":
    time.sleep(600)
while sys.stdin.buffer.raw.read(960):
    time.sleep(0.005)
"""


async def test_r6_without_an_engine_cached_phrases_and_the_tone_are_heard_and_it_recovers(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(QUICK)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        say(listener, "Known.", id="first")
        await end_of(listener, "first")
        await node.stop()
        # A cap below the voice itself: no worker ever becomes ready.
        node.configure(QUICK.replace("[engine]", "[engine]\nmemory_cap_mb = 64"))
        node.start()
        raised = await listener.wait(_is_engine_fault, timeout=60)
        assert raised
        say(listener, "Known.", id="cached")
        cached = await end_of(listener, "cached")
        assert (cached["event_type"], cached["cached"]) == ("finished", True)
        assert "degraded" not in cached
        say(listener, "Never heard before.", id="tone")
        tone = await end_of(listener, "tone", 60)
        assert (tone["event_type"], tone["degraded"]) == ("finished", "attention_tone")
        state = await listener.wait(lambda h: h.topic == f"{BASE}/state" and b"engine" in h.payload)
        assert "engine" in state[0].json["faults"]
        await node.stop()
        node.configure(QUICK)
        node.start()
        say(listener, "Never heard before.", id="again")
        again = await end_of(listener, "again", 60)
        assert (again["event_type"], again.get("degraded")) == ("finished", None)


def _is_engine_fault(heard: Heard) -> bool:
    if heard.topic != f"{BASE}/event":
        return False
    return heard.json["event_type"] == "fault_raised" and "engine" in heard.payload.decode()


@pytest.mark.parametrize("mode", ["gone", "stuck", "missing", "killed"])
async def test_r9_a_player_that_fails_is_replaced_latched_and_cleared_by_its_probe(
    broker: Broker, make_node: MakeNode, tmp_path: Path, mode: str
) -> None:
    player, wish = tmp_path / "player.py", tmp_path / "wish"
    player.write_text(PLAYER)
    wish.write_text("gone" if mode == "gone" else "stuck" if mode == "stuck" else "well")
    argv = json.dumps([sys.executable, str(player), str(wish)])
    node = make_node(f"""
[outputs.speaker]
kind = "player"
argv = {argv}
[outputs.spare]
kind = "null"
[zones.default]
outputs = ["speaker"]
fallback_output = "spare"
[liveness]
probe_interval_s = 1
""")
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        if mode == "missing":
            player.unlink()
        say(listener, LONG, id="hit")
        if mode == "killed":
            await listener.event("started", id="hit")
            for pid in children_of(node.pid) - set(workers_of(node.pid)):
                send(pid, signal.SIGKILL)
        end = await end_of(listener, "hit", 60)
        assert (end["event_type"], end["degraded"]) == ("finished", "fallback_output")
        fault = (await listener.event("fault_raised"))["reason"]
        assert fault in ("device_missing", "device_lost", "device_stuck")
        wish.write_text("well")
        player.write_text(PLAYER)
        await listener.event("fault_cleared", timeout=30)
        say(listener, "It is well again.", id="well")
        assert (await end_of(listener, "well", 60)).get("degraded") is None
        kept = await ask(listener, "faults")
        await until(lambda: kept["faults"])
        assert all(one["acknowledged_at"] is None for one in kept["faults"])
        assert (await ask(listener, "fault_ack"))["acknowledged"] == len(kept["faults"])
