"""SIGKILL of the daemon at random instants under load: every accepted id ends exactly once."""

import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.observer import Observed, Observer, observing
from tests.support.broker import Broker
from tests.support.node import BASE, Node

#: Nothing on the way may drop a message: the broker keeps all, and our own bounds are wide.
BROKER = ("max_queued_messages 0", "max_inflight_messages 0")
CONFIG = """
default_zone = "yard"
[outputs.quick]
kind = "mqtt"
pace = "none"
[outputs.paced]
kind = "mqtt"
pace = "realtime"
[zones.yard]
outputs = ["quick"]
[zones.hall]
outputs = ["paced"]
[limits]
rate_per_s = 100000
rate_burst = 100000
[queue]
max_items = 100000
max_bytes = 100000000
burst_max = 100000
[policy]
on_crash = "{policy}"
"""
#: A kill comes so long after the start of the process, at most: half of it is the start itself.
LONGEST_LIFE_S = 1.5
SETTLE_S = 60.0


@dataclass(frozen=True, slots=True)
class Toll:
    """What came of it. ``published``: ids that the broker has acknowledged."""

    kills: int
    published: frozenset[str]
    seen: Observed
    took_s: float

    @property
    def lost(self) -> set[str]:
        """Published and never accepted, or accepted and never ended."""
        return set(self.published) - set(self.seen.accepted) | (
            set(self.seen.accepted) - set(self.seen.ends)
        )

    @property
    def told_twice(self) -> set[str]:
        """Accepted or ended by two different events."""
        both = (self.seen.accepted, self.seen.ends)
        return {id for known in both for id, told in known.items() if len(told) > 1}

    @property
    def heard_again(self) -> int:
        """Ids of which more than one clip was heard."""
        return sum(count > 1 for count in self.seen.clips.values())


def run(folder: Path, *, kills: int, seed: int, per_s: float = 60.0) -> Toll:
    """Kill a node ``kills`` times, half of them under each policy, and count."""
    chance = random.Random(seed)
    begun = time.monotonic()
    with Broker(lines=BROKER) as broker, observing(broker.host, broker.port, BASE) as observer:
        node = Node(broker, folder, CONFIG.format(policy="drop"))
        try:
            _warm(node, observer, broker)
            with _publisher(broker, per_s) as publisher:
                for number in range(kills):
                    if number == kills // 2:
                        node.configure(CONFIG.format(policy="replay"))
                    node.process.kill()
                    node.process.wait()
                    node.start()
                    time.sleep(chance.uniform(0.0, LONGEST_LIFE_S))
                published = frozenset(publisher.communicate(timeout=60)[0].decode().split())
            observer.wait(lambda: set(observer.seen.ends) >= published, SETTLE_S)
        finally:
            node.abandon()
        return Toll(kills, published, observer.seen, time.monotonic() - begun)


def _warm(node: Node, observer: Observer, broker: Broker) -> None:
    """Speak each phrase once, so that no life needs the worker."""
    node.start()
    assert observer.wait(lambda: observer.online > 0, 30)
    with _publisher(broker, 50) as publisher:
        assert observer.wait(lambda: len(observer.seen.ends) >= 16, 60)
        publisher.communicate(timeout=60)
    assert observer.wait(lambda: set(observer.seen.ends) >= set(observer.seen.accepted), 60)


def _publisher(broker: Broker, per_s: float) -> subprocess.Popen[bytes]:
    words = [broker.host, str(broker.port), f"{BASE}/say", str(per_s)]
    argv = [sys.executable, "-m", "tests.chaos.publisher", *words]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
