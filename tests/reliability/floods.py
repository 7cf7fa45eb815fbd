"""A flood from two publishers, and what became of each of its messages."""

import asyncio
import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from cosyedge.adapters.procstat import rss_bytes
from tests.chaos.observer import observing
from tests.reliability.speaking import until
from tests.support.broker import Broker
from tests.support.listener import listen
from tests.support.node import BASE, Node, online, voice_ready

#: Rates are raised, the queue's bounds are not: nearly all of it is refused.
CONFIG = """
[outputs.nothing]
kind = "null"
pace = "realtime"
[limits]
rate_per_s = 100000
rate_burst = 100000
"""
BROKER = ("max_queued_messages 0", "max_inflight_messages 0")


@dataclass(frozen=True, slots=True)
class Flood:
    """``taken_per_s``: messages answered a second, from the first publish to the last answer."""

    sent: int
    accepted: int
    rejected: int
    ended: int
    taken_per_s: float
    rss_rise_bytes: int
    urgent_s: float


async def flood(folder: Path, count: int) -> Flood:
    """Send ``count`` messages from two publishers at once; ends when each was answered."""
    with Broker(lines=BROKER) as broker, observing(broker.host, broker.port, BASE) as observer:
        node = Node(broker, folder, CONFIG)
        topics = (f"{BASE}/response/#", f"{BASE}/availability", f"{BASE}/event/none")
        async with listen(broker, *topics) as listener:
            node.start()
            try:
                await online(listener)
                await voice_ready(listener)
                seen, before, begun = observer.seen, rss_bytes(node.pid), time.monotonic()
                publishers = [_publish(broker, half, count // 2) for half in ("a", "b")]
                await until(lambda: seen.rejected, 60)
                urgent_at = time.monotonic()
                listener.publish(f"{BASE}/say/urgent", '{"id": "u", "text": "Fire.", "lang": "en"}')
                await until(lambda: "u" in observer.seen.started, 60)
                urgent_s = time.monotonic() - urgent_at
                await until(lambda: seen.answered > count, 180)
                took_s = time.monotonic() - begun
                rise = rss_bytes(node.pid) - before
                for publisher in publishers:
                    await asyncio.to_thread(publisher.wait, 30)
                listener.publish(f"{BASE}/cancel/urgent", "all")
                await until(lambda: set(seen.ends) >= set(seen.accepted), 120)
            finally:
                node.abandon()
    rejected = sum(seen.rejected.values())
    accepted, ended = len(seen.accepted) - 1, len(seen.ends) - 1
    return Flood(count, accepted, rejected, ended, count / took_s, rise, urgent_s)


def _publish(broker: Broker, name: str, count: int) -> subprocess.Popen[bytes]:
    """A publisher of its own that sends as fast as the broker takes it."""
    where = ["-h", broker.host, "-p", str(broker.port), "-t", f"{BASE}/say"]
    publisher = subprocess.Popen(
        ["mosquitto_pub", *where, "-q", "1", "-l"], stdin=subprocess.PIPE, bufsize=1 << 20
    )
    assert publisher.stdin is not None
    for number in range(count):
        body = {"id": f"{name}{number}", "text": "Yes.", "lang": "en", "ttl": 600}
        publisher.stdin.write(json.dumps(body).encode() + b"\n")
    publisher.stdin.close()
    return publisher
