"""The retained state: one word, and who has which zone."""

import json
import signal
from pathlib import Path
from typing import Any

from tests.reliability.speaking import say, send, worker_of
from tests.support.broker import Broker
from tests.support.listener import Heard, Listener
from tests.support.node import BASE, running_node

LONG = "The first sentence is spoken now. The second sentence follows it. The third one ends it."
PACED = '[outputs.paced]\nkind = "mqtt"\npace = "realtime"\n'


async def state(listener: Listener, word: str, after: int = 0) -> dict[str, Any]:
    """The first state of this word since so many messages were heard."""
    fresh: list[Heard] = []

    def wanted(heard: Heard) -> bool:
        if heard.topic != f"{BASE}/state" or heard.json["state"] != word:
            return False
        fresh[:] = [h for h in listener.heard[after:] if h is heard]
        return bool(fresh)

    await listener.wait(wanted)
    found: dict[str, Any] = json.loads(fresh[0].payload)
    return found


async def test_it_synthesizes_until_its_first_sentence_is_made_and_then_plays(
    broker: Broker, tmp_path: Path
) -> None:
    async with running_node(broker, tmp_path, PACED) as (node, listener):
        send(await worker_of(node), signal.SIGSTOP)
        say(listener, LONG, id="a")
        made = await state(listener, "synthesizing")
        assert (made["synthesizing"], made["playing"]) == ({"default": "a"}, {})
        send(await worker_of(node), signal.SIGCONT)
        heard = await state(listener, "playing")
        assert (heard["synthesizing"], heard["playing"]) == ({}, {"default": "a"})
        listener.publish(f"{BASE}/pause")
        held = await state(listener, "paused")
        assert (held["playing"], held["paused"]) == ({"default": "a"}, ["default"])
        before = len(listener.heard)
        listener.publish(f"{BASE}/resume")
        await state(listener, "playing", before)
        await state(listener, "idle", before)


async def test_a_phrase_from_memory_is_never_told_as_synthesizing(
    broker: Broker, tmp_path: Path
) -> None:
    async with running_node(broker, tmp_path, PACED) as (_, listener):
        begun = len(listener.heard)
        say(listener, "Known.", id="first")
        await state(listener, "synthesizing", begun)
        await listener.event("finished", id="first")
        await state(listener, "idle", begun)
        before = len(listener.heard)
        say(listener, "Known.", id="second")
        await listener.event("finished", id="second")
        await state(listener, "idle", before)
        words = {h.json["state"] for h in listener.heard[before:] if h.topic == f"{BASE}/state"}
        assert words == {"playing", "idle"}


async def test_after_an_orderly_end_it_is_stopped_and_plays_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    async with running_node(broker, tmp_path, PACED) as (node, listener):
        say(listener, LONG, id="a")
        await listener.event("started", id="a")
        await node.stop()
        last = await state(listener, "stopped")
        assert (last["playing"], last["synthesizing"]) == ({}, {})
        assert [h for h in listener.heard if h.topic == f"{BASE}/state"][-1].json == last
