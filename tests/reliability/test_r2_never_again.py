"""R2, R3, R10, R15, R16: not again, not late, proved end to end, in silence, at rest."""

import signal
from pathlib import Path

from tests.reliability.conftest import MakeNode
from tests.reliability.manager import managed
from tests.reliability.resting import written_bytes
from tests.reliability.speaking import LONG, children_of, end_of, ends_of, say, send, worker_of
from tests.support.broker import Broker
from tests.support.listener import Listener, listen
from tests.support.node import BASE, OUTPUTS, ask, online, start_speaking

SECRET_TEXT = "Bartholomew parked the zeppelin"
QUICK_CANARY = f"{OUTPUTS}\n[liveness]\ncanary_interval_s = 1\n"


async def test_r2_an_id_that_ended_is_a_duplicate_after_a_kill(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node()
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        say(listener, "Yes.", id="once")
        await end_of(listener, "once", 60)
        await node.kill()
        node.start()
        say(listener, "Yes.", id="once")
        await listener.event("duplicate", id="once", timeout=60)
        assert ends_of(listener, "once") == ["finished"]
        assert sum(heard.topic.endswith("/default/once") for heard in listener.heard) == 1


async def test_r1_a_message_is_acknowledged_only_after_its_row_is_written(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(QUICK_CANARY)
    node.program = ("-m", "tests.reliability.launcher", "freeze", "early")
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        say(listener, "Yes.", id="early")
        await listener.topic(f"{BASE}/say")
        # Two more canaries: whatever was to be sent at once has been sent.
        flown = sum(heard.topic.endswith("/canary") for heard in listener.heard)
        await listener.wait(lambda heard: heard.topic.endswith("/canary"), count=flown + 4)
        await node.kill()
        node.program = ("-m", "cosyedge", "run")
        node.start()
        assert (await end_of(listener, "early", 60))["event_type"] == "finished"


async def test_r3_what_is_made_too_late_is_not_heard(broker: Broker, make_node: MakeNode) -> None:
    node = make_node(f"{OUTPUTS}\n[engine]\ndeadline_min_s = 2\n")
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        send(await worker_of(node), signal.SIGSTOP)
        say(listener, LONG, id="late", ttl=1)
        assert (await end_of(listener, "late", 60))["event_type"] == "expired"
        assert not [heard for heard in listener.heard if "/late" in heard.topic]


async def test_r10_a_canary_flies_through_the_broker_and_back_in_silence(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(QUICK_CANARY)
    async with managed(node, tmp_path) as manager, listen(broker) as listener:
        node.start()
        await online(listener)
        await listener.wait(lambda heard: heard.topic == f"{BASE}/canary", count=4)
        assert not [heard for heard in listener.heard if "/audio/" in heard.topic]
        assert not [heard for heard in listener.heard if heard.topic == f"{BASE}/event"]
        broker.freeze()
        await manager.status("faults: broker")
        broker.thaw()
        await manager.status("broker connected")


async def test_r15_no_text_reaches_the_log_the_events_or_the_disk(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(OUTPUTS)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        say(listener, f"{SECRET_TEXT}.", id="text")
        await end_of(listener, "text")
        say(listener, SECRET_TEXT, volume=f"loud {SECRET_TEXT}")
        listener.publish(f"{BASE}/say", '{"text": "' + SECRET_TEXT)
        await listener.event("rejected")
        await ask(listener, "ping")
        told = b"".join(h.payload for h in listener.heard if not h.topic.endswith("/say"))
        await node.stop()
    state = b"".join(path.read_bytes() for path in node.folder.rglob("*") if path.is_file())
    assert SECRET_TEXT not in node.log
    assert SECRET_TEXT.encode() not in told + state


async def test_r16_an_idle_daemon_writes_nothing_to_disk(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(OUTPUTS + "\n[liveness]\nhealth_interval_s = 1\ncanary_interval_s = 1\n")
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        await _healths(listener, 3)
        family = [node.pid, *children_of(node.pid)]
        before = sum(map(written_bytes, family))
        await _healths(listener, 6)
        assert sum(map(written_bytes, family)) - before <= 4096


async def _healths(listener: Listener, more: int) -> None:
    """Wait for so many more health messages."""
    before = sum(each.topic == f"{BASE}/health" for each in listener.heard)
    await listener.wait(
        lambda each: each.topic == f"{BASE}/health", count=before + more, timeout=60
    )
