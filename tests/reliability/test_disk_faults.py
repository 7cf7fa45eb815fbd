"""Disks that are full, cannot be used, hold damage or are another daemon's, at the daemon."""

import asyncio
import contextlib
import json
import resource
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.reliability.conftest import MakeNode
from tests.reliability.small_disks import SmallDisk, needs_mounts, small_disk
from tests.reliability.speaking import LONG, end_of, ends_of, say, until
from tests.support.broker import Broker
from tests.support.listener import Heard, Listener, listen
from tests.support.node import BASE, OUTPUTS, Node, online, start_speaking, voice_ready

#: The journal alone, probed every second.
QUICK = f"{OUTPUTS}\n[cache]\ndisk_mb = 0\n[liveness]\nprobe_interval_s = 1\n"
#: The cache's disk is tried at every sixth probe.
WITH_CACHE = f"{OUTPUTS}\n[liveness]\nprobe_interval_s = 1\n"
#: It plays for as long as the audio lasts.
PACED = QUICK.replace('pace = "none"', 'pace = "realtime"')


def is_disk(heard: Heard, event_type: str) -> bool:
    if heard.topic != f"{BASE}/event":
        return False
    event = heard.json
    return event["event_type"] == event_type and event.get("reason") == "disk"


def faults_in(heard: Heard) -> dict[str, str] | None:
    """The faults of a state; None where it is another message."""
    return heard.json["faults"] if heard.topic == f"{BASE}/state" and heard.payload else None


async def cosyedge(node: Node, *words: str) -> str:
    """What the command says, beside the running node."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "cosyedge", *words, "--config", str(node.config),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    told, _ = await process.communicate()
    return told.decode().strip()


async def disk_fault(listener: Listener, event_type: str, count: int = 1) -> None:
    """Wait for the fault of the disk to be raised or cleared, for the ``count``th time."""
    await listener.wait(lambda heard: is_disk(heard, event_type), count=count, timeout=30)


async def test_r9_a_disk_that_takes_no_byte_is_told_spoken_over_and_cleared_by_itself(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(QUICK)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
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


@pytest.fixture
def malformed(make_node: MakeNode) -> Node:
    """A node that is not started yet, whose journal is no database."""
    node = make_node()
    state = node.folder / "state"
    state.mkdir()
    (state / "journal.sqlite").write_bytes(b"no database at all" * 500)
    return node


async def test_r9_r14_a_malformed_journal_is_a_latched_fault_over_a_restart(
    broker: Broker, malformed: Node
) -> None:
    async with listen(broker) as listener:
        malformed.start()
        await online(listener)
        raised = await listener.event("fault_raised", id="journal")
        assert raised["reason"] == "corrupt"
        await listener.wait(lambda heard: (faults_in(heard) or {}).get("journal") == "corrupt")
        say(listener, "Spoken all the same.", id="a")
        assert (await end_of(listener, "a", 60))["event_type"] == "finished"
        assert (malformed.folder / "state" / "journal.sqlite.damaged").exists()
        assert "journal moved aside" in malformed.log
        (fault,) = json.loads(await cosyedge(malformed, "faults", "--json"))
        assert (fault["name"], fault["code"], fault["cleared"]) == ("journal", "corrupt", None)

        await malformed.kill()
        malformed.start()
        await online(listener, since=listener.heard[-1].at)
        (fault,) = json.loads(await cosyedge(malformed, "faults", "--json"))
        assert (fault["name"], fault["acknowledged"]) == ("journal", None)


async def test_r9_damage_of_the_journal_stands_until_it_is_acknowledged(
    broker: Broker, malformed: Node
) -> None:
    async with listen(broker) as listener:
        malformed.start()
        await online(listener)
        (shown,) = await listener.wait(lambda heard: faults_in(heard) == {"journal": "corrupt"})
        assert await cosyedge(malformed, "faults", "--ack", "journal") == "1 acknowledged"
        assert (await listener.event("fault_cleared", id="journal"))["reason"] == "corrupt"
        await listener.wait(lambda heard: faults_in(heard) == {} and heard.at > shown.at)


async def test_r1_r9_rows_damaged_while_it_runs_are_a_fault_and_every_id_ends_once(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(PACED)
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        say(listener, LONG, id="first")
        await listener.event("started", id="first")
        say(listener, "Second.", id="second")
        await listener.event("accepted", id="second")
        with contextlib.closing(sqlite3.connect(node.folder / "state" / "journal.sqlite")) as link:
            link.execute("UPDATE open_items SET zones = '[]'")
            link.commit()
        for id in ("first", "second"):
            assert (await end_of(listener, id, 60))["event_type"] == "finished"
            assert ends_of(listener, id) == ["finished"]
        assert (await listener.event("fault_raised", id="journal"))["reason"] == "corrupt"
        say(listener, "Third.", id="third")
        assert (await end_of(listener, "third"))["event_type"] == "finished"
        assert not any(is_disk(heard, "fault_raised") for heard in listener.heard)
        assert await node.stop() == 0


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


@needs_mounts
async def test_a_full_disk_costs_no_announcement_and_the_journal_comes_back(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(QUICK)
    with small_disk(node.folder / "state", "1500k") as disk:
        node.program = disk.program
        async with listen(broker) as listener:
            await start_speaking(node, listener)
            say(listener, "There is room.", id="before")
            await end_of(listener, "before")
            disk.fill()
            for number in range(5):
                say(listener, f"Full, number {number}.", id=f"full{number}")
            for number in range(5):
                assert (await end_of(listener, f"full{number}"))["event_type"] == "finished"
            await disk_fault(listener, "fault_raised")
            disk.free()
            await disk_fault(listener, "fault_cleared")
            say(listener, "There is room again.", id="after")
            assert (await end_of(listener, "after"))["event_type"] == "finished"
            say(listener, "Full, number 0.", id="full0")
            assert (await listener.event("duplicate", id="full0"))["id"] == "full0"
            await node.kill()
            node.start()
            await online(listener, since=listener.heard[-1].at)
            await voice_ready(listener)
            say(listener, "A new life.", id="last")
            await end_of(listener, "last")
            for id in ("before", "after", "last", *(f"full{n}" for n in range(5))):
                assert ends_of(listener, id) == ["finished"], id
            kept = json.loads(await cosyedge_in(disk, node, "faults", "--json"))
            assert [(fault["name"], fault["code"]) for fault in kept] == [("disk", "disk")]
            assert kept[0]["cleared"] is not None


async def cosyedge_in(disk: SmallDisk, node: Node, *words: str) -> str:
    """What the command says where the disk is mounted."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *disk.program[:-1], *words, "--config", str(node.config),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    told, _ = await process.communicate()
    return told.decode().strip()


def full(disk: SmallDisk) -> None:
    disk.fill()


def read_only(disk: SmallDisk) -> None:
    disk.remount("ro")


def mend(disk: SmallDisk) -> None:
    disk.remount("rw")
    (disk.seen / "filler").unlink(missing_ok=True)


@needs_mounts
@pytest.mark.parametrize("break_disk", [full, read_only])
async def test_a_journal_that_cannot_be_opened_is_opened_once_the_disk_is_well(
    broker: Broker, make_node: MakeNode, break_disk: Callable[[SmallDisk], None]
) -> None:
    node = make_node(PACED)
    with small_disk(node.folder / "state", "1500k") as disk:
        node.program = disk.program
        async with listen(broker) as listener:
            await start_speaking(node, listener)
            say(listener, LONG, id="cut")
            await listener.event("started", id="cut")
            await node.kill()
            break_disk(disk)
            node.start()
            await online(listener, since=listener.heard[-1].at)
            await disk_fault(listener, "fault_raised")
            say(listener, "Spoken from memory.", id="during")
            assert (await end_of(listener, "during"))["event_type"] == "finished"
            assert not ends_of(listener, "cut")

            mend(disk)
            await disk_fault(listener, "fault_cleared")
            assert (await end_of(listener, "cut"))["reason"] == "interrupted"
            say(listener, "Spoken from the disk.", id="after")
            assert (await end_of(listener, "after"))["event_type"] == "finished"
            for id in ("cut", "during", "after"):
                assert len(ends_of(listener, id)) == 1, id
            ended = json.loads(await cosyedge_in(disk, node, "history", "--json"))
            assert {row["id"] for row in ended} == {"cut", "after"}


@needs_mounts
@pytest.mark.parametrize("break_disk", [full, read_only])
async def test_a_phrase_cache_whose_disk_fails_clears_by_itself(
    broker: Broker, make_node: MakeNode, break_disk: Callable[[SmallDisk], None]
) -> None:
    node = make_node(WITH_CACHE)
    with small_disk(node.folder / "cache", "20m") as disk:
        node.program = disk.program
        async with listen(broker) as listener:
            await start_speaking(node, listener)
            say(listener, "Kept on disk.", id="before")
            await end_of(listener, "before")
            break_disk(disk)
            say(listener, "Kept in memory.", id="during")
            assert (await end_of(listener, "during"))["event_type"] == "finished"
            await disk_fault(listener, "fault_raised")
            say(listener, "Kept in memory.", id="cached")
            assert (await end_of(listener, "cached"))["cached"] is True

            kept = phrases_on(disk)
            mend(disk)
            await disk_fault(listener, "fault_cleared")
            assert phrases_on(disk) == kept
            say(listener, "On disk again.", id="after")
            assert (await end_of(listener, "after"))["event_type"] == "finished"
            await until(lambda: len(phrases_on(disk)) == len(kept) + 1)


def phrases_on(disk: SmallDisk) -> set[str]:
    return {path.name for path in (disk.seen / "phrases").glob("*.phrase")}
