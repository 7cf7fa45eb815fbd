"""What an operator sets and asks of zones, hours and phrases, on a real node."""

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.broker import Broker
from tests.support.listener import Listener
from tests.support.node import BASE, NAME, OUTPUTS, Node, ask, online, running_node, workers_of

LONG = "The first sentence is spoken now. The second sentence follows it. The third one ends it."
SLOW = (
    "Ladies and gentlemen, the train to the seaside is going to leave from another platform today "
    "because of the works on the bridge which nobody had expected to last for so many weeks."
)
CONFIG = """
default_zone = "yard"
[outputs.paced]
kind = "mqtt"
pace = "realtime"
[outputs.quick]
kind = "mqtt"
pace = "none"
[zones.hall]
outputs = ["paced"]
[zones.yard]
outputs = ["quick"]
[zones.ward]
outputs = ["quick"]
volume = 0.5
quiet_hours = { start = "00:00", end = "23:59", below = "high", volume = 0.25 }
"""


@pytest.fixture
async def node(broker: Broker, tmp_path: Path) -> AsyncIterator[tuple[Node, Listener]]:
    async with running_node(broker, tmp_path, CONFIG) as pair:
        yield pair


def say(listener: Listener, text: str, **keys: Any) -> None:
    listener.publish(f"{BASE}/say", json.dumps({"text": text} | keys))


async def peak_of(listener: Listener, zone: str, id: str) -> int:
    clip = (await listener.topic(f"{BASE}/audio/{zone}/{id}")).payload[44:]
    return max(abs(value) for value in memoryview(clip).cast("h"))


async def test_loudness_is_the_zones_volume_the_messages_decibels_and_the_hours_cap(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    say(listener, "Hello there.", id="full")
    say(listener, "Hello there.", id="half", zone="ward", **{"class": "high"})
    say(listener, "Hello there.", id="up", zone="ward", volume="-6dB", **{"class": "high"})
    say(listener, "Hello there.", id="capped", zone="ward")
    finished = await listener.event("finished", id="capped")
    assert finished["capped_by"] == ["quiet_hours"]
    full = await peak_of(listener, "yard", "full")
    assert await peak_of(listener, "ward", "half") == pytest.approx(full / 2, rel=0.02)
    assert await peak_of(listener, "ward", "up") == pytest.approx(full / 4, rel=0.02)
    assert await peak_of(listener, "ward", "capped") == pytest.approx(full / 4, rel=0.02)


async def test_zones_that_end_differently_make_it_partial(node: tuple[Node, Listener]) -> None:
    _, listener = node
    listener.publish(f"{BASE}/zone/ward/set/mute_classes", "normal,low")
    await listener.topic(f"{BASE}/zone/ward/state/mute_classes")
    say(listener, "Hello.", id="both", zone=["yard", "ward"])
    partial = await listener.event("partial", id="both")
    assert partial["zones"] == {
        "yard": {"result": "finished"},
        "ward": {"result": "suppressed", "reason": "muted"},
    }


async def test_routing_partial_speaks_where_it_is_free_and_leaves_the_rest_out(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    say(listener, LONG, id="talk", zone="hall")
    await listener.event("started", id="talk")
    say(listener, "Hello.", id="some", zone=["hall", "yard"], routing="partial")
    partial = await listener.event("partial", id="some")
    assert partial["zones"]["hall"]["reason"] == "zone_busy"
    assert partial["zones"]["yard"]["result"] == "finished"


async def test_max_duration_ends_it_as_partial(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, LONG, id="long", zone="hall", max_duration=0.5)
    assert (await listener.event("partial", id="long"))["reason"] == "max_duration"


async def test_it_is_repeated_as_often_as_it_says(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, "Mind the gap.", id="gap", repeat=3, repeat_interval=0.1)
    await listener.event("finished", id="gap")
    clips = await listener.wait(lambda heard: heard.topic == f"{BASE}/audio/yard/gap", count=3)
    assert len(clips) == 3


async def test_what_waits_is_cancelled_by_class_by_zone_and_cleared(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    listener.publish(f"{BASE}/pause", "{}")
    say(listener, "One.", id="low", **{"class": "low"})
    say(listener, "Two.", id="ward", zone="ward", **{"class": "high"})
    say(listener, "Three.", id="rest")
    await listener.event("accepted", id="rest")
    listener.publish(f"{BASE}/cancel", '{"class": "low"}')
    assert (await listener.event("cancelled", id="low"))["reason"] == "cancelled"
    listener.publish(f"{BASE}/cancel", '{"zone": "ward"}')
    assert (await listener.event("cancelled", id="ward"))["reason"] == "cancelled"
    assert await ask(listener, "clear") == {"cleared": 1}
    assert (await listener.event("cancelled", id="rest"))["reason"] == "cleared"


async def test_lower_one_sounds_on_while_the_higher_one_is_still_being_made(
    node: tuple[Node, Listener],
) -> None:
    running, listener = node
    loop = asyncio.get_running_loop()
    (worker,) = workers_of(running.pid)
    say(listener, LONG * 3, id="talk", zone="hall")
    await listener.event("started", id="talk")
    os.kill(worker, signal.SIGSTOP)
    try:
        began = loop.time()
        say(listener, SLOW, id="urgent", zone="hall", **{"class": "high", "interrupt": "always"})
        await listener.event("accepted", id="urgent")
        while loop.time() < began + 0.6:  # four times the fade
            await ask(listener, "ping")
        told = [h.json["event_type"] for h in listener.heard if h.topic == f"{BASE}/event"]
        assert "interrupted" not in told
    finally:
        # One that does not give way is replaced.
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGCONT)
    await listener.event("interrupted", id="talk")
    await listener.event("started", id="urgent")


async def test_settings_of_node_and_zone_are_retained_and_outlive_a_restart(
    node: tuple[Node, Listener],
) -> None:
    running, listener = node
    words = {
        "set/volume": "0.5",
        "zone/yard/set/volume": "0.4",
        "zone/yard/set/quiet_hours": "OFF",
        "zone/hall/set/mute_classes": "background",
        "set/voice": "hibari",
    }
    for topic, word in words.items():
        listener.publish(f"{BASE}/{topic}", word)
        await listener.topic(f"{BASE}/{topic.replace('set/', 'state/')}")
    await running.stop()
    since = asyncio.get_running_loop().time()
    running.start()
    await online(listener, since=since)
    for topic, word in words.items():
        twin = f"{BASE}/{topic.replace('set/', 'state/')}"
        again = await listener.wait(lambda h, twin=twin: h.topic == twin and h.at > since)
        assert again[0].payload.decode() == word


async def test_phrases_are_made_again_after_the_lexicon_changed(
    broker: Broker, tmp_path: Path
) -> None:
    config = f'{OUTPUTS}[[phrases]]\ntext = "Please ask Siobhan."\n'
    async with running_node(broker, tmp_path, config) as (running, listener):
        before = await made(listener, tmp_path / "cache")
        running.configure(f'{config}[text.lexicon.en]\nSiobhan = "Shivawn"\n')
        await ask(listener, "reload")
        assert await made(listener, tmp_path / "cache", above=before) == before + 1


async def made(listener: Listener, cache: Path, above: int = 0) -> int:
    """How many phrases are pinned on disk, once it is more than ``above`` and none is missing."""
    async with asyncio.timeout(30):
        while True:
            missing = (await ask(listener, "phrases"))["missing"]
            pinned = len(list(cache.rglob("*.pinned")))
            if pinned > above and not missing:
                return pinned
            await asyncio.sleep(0.02)


async def test_schedule_speaks_with_no_broker_at_all(broker: Broker, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound and deaf: every connection is refused
        node = Node(broker, tmp_path)
        said = tmp_path / "said"
        node.config.write_text(
            f'[mqtt]\nhost = "127.0.0.1"\nport = {nobody.getsockname()[1]}\n'
            f'[paths]\nstate_dir = "{tmp_path}/state"\ncache_dir = "{tmp_path}/cache"\n'
            f'[node]\nname = "{NAME}"\n'
            f'[outputs.files]\nkind = "file"\ndirectory = "{said}"\n'
            '[[schedule]]\nname = "bell"\ncron = "*/2 * * * * *"\ntext = "Break time."\n'
        )
        node.start()
        try:
            async with asyncio.timeout(60):
                while not list(said.glob("*.wav")):
                    await asyncio.sleep(0.05)
        finally:
            node.abandon()
