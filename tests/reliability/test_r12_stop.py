"""R12: it stops within 10 s in any state, with status 0 and no orphan."""

import json
import signal
import sys
from collections.abc import Awaitable, Callable

import pytest

from tests.reliability.conftest import MakeNode
from tests.reliability.speaking import LONG, children_of, lives, say, send, until, worker_of
from tests.support.broker import Broker
from tests.support.listener import Listener, listen
from tests.support.node import Node, start_speaking

STOP_S = 10.0
#: Takes what a pipe holds and no more.
STUCK = [sys.executable, "-c", "import time; time.sleep(600)"]
CONFIG = f"""
default_zone = "hall"
[outputs.paced]
kind = "mqtt"
pace = "realtime"
[outputs.stuck]
kind = "player"
argv = {json.dumps(STUCK)}
[zones.hall]
outputs = ["paced"]
[zones.cellar]
outputs = ["stuck"]
"""

Bring = Callable[[Node, Listener, Broker], Awaitable[None]]


async def idle(node: Node, listener: Listener, broker: Broker) -> None:
    """Nothing to do."""


async def synthesizing(node: Node, listener: Listener, broker: Broker) -> None:
    say(listener, LONG, id="s", cache="bypass")
    await listener.event("accepted", id="s")


async def playing(node: Node, listener: Listener, broker: Broker) -> None:
    say(listener, LONG, id="p")
    await listener.event("started", id="p")


async def draining(node: Node, listener: Listener, broker: Broker) -> None:
    await playing(node, listener, broker)
    node.signal(signal.SIGHUP)
    await until(lambda: "reloaded" in node.log)


async def worker_frozen_in_a_synthesis(node: Node, listener: Listener, broker: Broker) -> None:
    send(await worker_of(node), signal.SIGSTOP)
    await synthesizing(node, listener, broker)


async def player_stuck(node: Node, listener: Listener, broker: Broker) -> None:
    say(listener, LONG, id="c", zone="cellar")
    await until(lambda: len(children_of(node.pid)) >= 2)


async def broker_frozen(node: Node, listener: Listener, broker: Broker) -> None:
    await playing(node, listener, broker)
    broker.freeze()


async def broker_gone(node: Node, listener: Listener, broker: Broker) -> None:
    broker.kill()


STATES = [
    idle,
    synthesizing,
    playing,
    draining,
    worker_frozen_in_a_synthesis,
    player_stuck,
    broker_frozen,
    broker_gone,
]


@pytest.mark.parametrize("bring", STATES, ids=lambda bring: bring.__name__)
async def test_r12_it_stops_in_time_and_leaves_no_orphan(
    broker: Broker, make_node: MakeNode, bring: Bring
) -> None:
    node = make_node(CONFIG)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        await bring(node, listener, broker)
        family = children_of(node.pid)
        assert family
        node.signal(signal.SIGTERM)
        status = await node.wait(STOP_S)
        if bring is broker_frozen:
            broker.thaw()
    assert (status, [pid for pid in family if lives(pid)]) == (0, []), node.log


async def test_r12_it_stops_while_it_starts(make_node: MakeNode) -> None:
    node = make_node(CONFIG)
    node.start()
    await until(lambda: "ready" in node.log)
    family = children_of(node.pid)
    node.signal(signal.SIGTERM)
    assert await node.wait(STOP_S) == 0
    assert not [pid for pid in family if lives(pid)]


async def test_r12_what_was_open_at_a_stop_is_ended_by_the_next_life(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(CONFIG)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        say(listener, LONG, id="cut")
        await listener.event("started", id="cut")
        say(listener, "Yes.", id="next")
        await listener.event("accepted", id="next")
        await node.stop()
        node.start()
        failed = await listener.event("failed", id="cut", timeout=30)
        assert (failed["reason"], failed["restarted"]) == ("interrupted", True)
        await listener.event("finished", id="next", timeout=30)
