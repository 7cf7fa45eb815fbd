"""Disks that are full, cannot be used, hold damage or are another daemon's, at the daemon."""

import resource
from pathlib import Path

import psutil

from tests.reliability.conftest import MakeNode
from tests.reliability.speaking import end_of, say
from tests.support.broker import Broker
from tests.support.listener import Heard, listen
from tests.support.node import BASE, OUTPUTS, Node, online, voice_ready

#: The journal alone: the cache tries its disk again at the next new phrase, after 30 s.
QUICK = f"{OUTPUTS}\n[cache]\ndisk_mb = 0\n[liveness]\nprobe_interval_s = 1\n"


def is_disk(heard: Heard, event_type: str) -> bool:
    if heard.topic != f"{BASE}/event":
        return False
    event = heard.json
    return event["event_type"] == event_type and event.get("reason") == "disk"


async def test_r9_a_disk_that_takes_no_byte_is_told_spoken_over_and_cleared_by_itself(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(QUICK)
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        await voice_ready(listener)
        limits = psutil.Process(node.pid)
        before = limits.rlimit(psutil.RLIMIT_FSIZE)
        limits.rlimit(psutil.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        say(listener, "The disk is full.", id="full")
        assert (await end_of(listener, "full"))["event_type"] == "finished"
        await listener.wait(lambda heard: is_disk(heard, "fault_raised"))
        await listener.wait(
            lambda h: h.topic == f"{BASE}/state" and h.json["faults"].get("disk") == "disk"
        )
        limits.rlimit(psutil.RLIMIT_FSIZE, before)
        await listener.wait(lambda heard: is_disk(heard, "fault_cleared"), timeout=30)
        say(listener, "The disk is well.", id="well")
        assert (await end_of(listener, "well"))["event_type"] == "finished"


async def test_a_state_directory_that_cannot_be_is_a_fault_and_it_speaks_from_memory(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node()
    (node.folder / "state").write_text("a file, no directory")
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        await listener.wait(lambda heard: is_disk(heard, "fault_raised"), timeout=30)
        say(listener, "Spoken all the same.", id="a")
        assert (await end_of(listener, "a", 60))["event_type"] == "finished"


async def test_r14_a_malformed_journal_is_moved_aside_and_said(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node()
    state = node.folder / "state"
    state.mkdir()
    (state / "journal.sqlite").write_bytes(b"no database at all" * 500)
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        say(listener, "Spoken all the same.", id="a")
        assert (await end_of(listener, "a", 60))["event_type"] == "finished"
    assert (state / "journal.sqlite.damaged").exists()
    assert "journal moved aside" in node.log


async def test_a_second_daemon_in_one_directory_refuses_and_the_first_goes_on(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node()
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        second = Node(broker, node.folder)
        second.start()
        assert await second.wait(30) == 1
        assert "another daemon" in node.log
        say(listener, "Still here.", id="a")
        assert (await end_of(listener, "a", 60))["event_type"] == "finished"
