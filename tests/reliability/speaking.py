"""Saying something to a node and hearing how it ended."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.chaos.observer import ENDS
from tests.support.listener import Heard, Listener
from tests.support.node import BASE, Node, workers_of

LONG = (
    "The first sentence is spoken now and it takes a while to say all of it. "
    "The second sentence follows the first one and is about as long as that. "
    "The third sentence ends this announcement after a rather long time."
)


def say(listener: Listener, text: str, *, topic: str = "say", **keys: object) -> None:
    """Publish an announcement in English."""
    listener.publish(f"{BASE}/{topic}", json.dumps({"text": text, "lang": "en"} | keys))


async def end_of(listener: Listener, id: str, timeout: float = 30.0) -> dict[str, Any]:
    """The last event of an id."""

    def is_end(heard: Heard) -> bool:
        if heard.topic != f"{BASE}/event":
            return False
        event = heard.json
        return event.get("id") == id and event["event_type"] in ENDS

    found: dict[str, Any] = (await listener.wait(is_end, timeout=timeout))[0].json
    return found


def ends_of(listener: Listener, id: str) -> list[str]:
    """Every end that was told of an id; the same bytes again are the outbox's second try."""
    payloads = dict.fromkeys(h.payload for h in listener.heard if h.topic == f"{BASE}/event")
    events = [json.loads(payload) for payload in payloads]
    return [
        event["event_type"]
        for event in events
        if event.get("id") == id and event["event_type"] in ENDS
    ]


async def until(true: Callable[[], object], timeout: float = 20.0) -> None:
    """Return once it is true; looks often, fails at the deadline."""
    async with asyncio.timeout(timeout):
        while not true():
            await asyncio.sleep(0.01)


async def worker_of(node: Node) -> int:
    """The node's worker, once it has one."""
    await until(lambda: workers_of(node.pid))
    return workers_of(node.pid)[0]


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def children_of(pid: int) -> set[int]:
    """Every descendant of a process."""
    found: set[int] = set()
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return found
    for child in map(int, listed):
        found |= {child} | children_of(child)
    return found


def lives(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
