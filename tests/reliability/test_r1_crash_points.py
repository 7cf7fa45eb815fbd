"""R1: 72 crash points, each moment of each journal step with each output under both policies."""

import asyncio
import json
from itertools import product
from pathlib import Path

import pytest

from tests.chaos.observer import Observer, observing
from tests.reliability.launcher import KINDS, MOMENTS
from tests.support.broker import Broker
from tests.support.node import BASE, Node

# Paced, for a start and an end in one batch share a commit, and then no start is noted.
OUTPUTS = {
    "broker": 'kind = "mqtt"\npace = "realtime"',
    "nothing": 'kind = "null"\npace = "realtime"',
    "files": 'kind = "file"\ndirectory = "{folder}/out"',
    "player": 'kind = "player"\nargv = ["/bin/sh", "-c", "cat > /dev/null"]',
}
POLICIES = ("drop", "replay")
POINTS = tuple(product(POLICIES, OUTPUTS, KINDS, MOMENTS))
TEXT = "Yes."


def config(folder: Path, policy: str) -> str:
    outputs = "".join(
        f"[outputs.{name}]\n{body.format(folder=folder)}\n[zones.{name}]\noutputs = ['{name}']\n"
        for name, body in OUTPUTS.items()
    )
    return (
        f'default_zone = "nothing"\n[policy]\non_crash = "{policy}"\n'
        f"[limits]\nrate_burst = 1000\n{outputs}"
    )


def possible_ends(policy: str, kind: str, moment: str) -> set[str]:
    """What began and was not ended is dropped, or said again; all else finishes.

    A start and an end that share a transaction are both undone by a kill inside it.
    """
    if policy == "replay" or kind == "accept":
        return {"finished"}
    if (kind, moment) == ("end", "committed"):
        return {"finished"}
    return {"finished", "failed interrupted"}


def end_of(observer: Observer, id: str) -> str:
    (payload,) = observer.seen.ends[id]
    event = json.loads(payload)
    return f"{event['event_type']} {event.get('reason') or ''}".strip()


@pytest.mark.timeout(600)
async def test_r1_each_crash_point_ends_every_accepted_id_once(tmp_path: Path) -> None:
    assert len(POINTS) == 72
    with Broker() as broker, observing(broker.host, broker.port, BASE) as observer:
        node = Node(broker, tmp_path, config(tmp_path, "drop"))
        try:
            node.start()
            await asyncio.to_thread(_say_warm, broker, observer)
            await node.kill()
            for number, point in enumerate(POINTS):
                await _crash_at(node, observer, broker, f"p{number}", point)
        finally:
            node.abandon()
    seen = observer.seen
    ids = {f"p{number}" for number in range(len(POINTS))}
    assert set(seen.ends) == set(seen.accepted) == ids | {"warm"}
    assert [id for id, told in seen.accepted.items() if len(told) > 1] == []
    for number, (policy, _, kind, moment) in enumerate(POINTS):
        assert end_of(observer, f"p{number}") in possible_ends(policy, kind, moment)
    assert "failed interrupted" in {end_of(observer, id) for id in ids}
    assert not seen.clips_after_the_end


async def _crash_at(
    node: Node, observer: Observer, broker: Broker, id: str, point: tuple[str, str, str, str]
) -> None:
    """One life that ends at the point, and one that takes up what it left."""
    policy, zone, kind, moment = point
    node.program = ("-m", "tests.reliability.launcher", "kill", kind, moment, id)
    node.configure(config(node.folder, policy))
    node.start()
    body = json.dumps({"id": id, "text": TEXT, "lang": "en", "zone": zone})
    await asyncio.to_thread(_publish, broker, body)
    assert await node.wait(30) == -9, node.log
    node.program = ("-m", "cosyedge", "run")
    node.start()
    assert await asyncio.to_thread(observer.wait, lambda: id in observer.seen.ends, 90), point
    await node.kill()


def _say_warm(broker: Broker, observer: Observer) -> None:
    assert observer.wait(lambda: observer.online > 0, 30)
    _publish(broker, json.dumps({"id": "warm", "text": TEXT, "lang": "en"}))
    assert observer.wait(lambda: "warm" in observer.seen.ends, 30)


def _publish(broker: Broker, body: str) -> None:
    import paho.mqtt.publish as publish

    publish.single(f"{BASE}/say", body, qos=1, hostname=broker.host, port=broker.port)
