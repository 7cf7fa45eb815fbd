"""SIGKILL of the daemon at random instants under load: every accepted id ends exactly once."""

import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

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
#: Most lives are ended so long after they are online, at most; one in five before that.
LONGEST_LIFE_S = 0.8
DIES_EARLY = 0.2
#: So many may be open before the publisher pauses.
MOST_OPEN = 1000
#: What is open when the kills are over goes on as long as something ends now and then.
PATIENCE_S = 30.0


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
            with (
                (folder / "published").open("w+b") as record,
                _publisher(broker, per_s, record) as publisher,
            ):
                for number in range(kills):
                    if number == kills // 2:
                        node.configure(CONFIG.format(policy="replay"))
                    node.process.kill()
                    node.process.wait()
                    node.start()
                    if chance.random() > DIES_EARLY:
                        assert observer.next_online(60), node.log
                    time.sleep(chance.uniform(0.0, LONGEST_LIFE_S))
                    _bound(publisher, observer)
                publisher.communicate(timeout=60)
                record.seek(0)
                published = frozenset(record.read().decode().split())
            _settle(observer, published)
        finally:
            node.abandon()
        return Toll(kills, published, observer.seen, time.monotonic() - begun)


def _bound(publisher: subprocess.Popen[bytes], observer: Observer) -> None:
    """Hold the publisher while more is open than short lives speak, or each start takes longer."""
    assert publisher.stdin is not None
    open_count = len(observer.seen.accepted) - len(observer.seen.ends)
    publisher.stdin.write(b"-" if open_count > MOST_OPEN else b"+")
    publisher.stdin.flush()


def _settle(observer: Observer, published: frozenset[str]) -> None:
    """Return once all have ended, or none does any more."""

    def open_ids() -> int:
        return len(published - set(observer.seen.ends))

    while before := open_ids():
        if not observer.wait(lambda: open_ids() < before, PATIENCE_S):
            return


def _warm(node: Node, observer: Observer, broker: Broker) -> None:
    """Speak each phrase once, so that no life needs the worker."""
    node.start()
    assert observer.wait(lambda: observer.online > 0, 30)
    with _publisher(broker, 50, subprocess.DEVNULL) as publisher:
        assert observer.wait(lambda: len(observer.seen.ends) >= 16, 60)
        publisher.communicate(timeout=60)
    assert observer.wait(lambda: set(observer.seen.ends) >= set(observer.seen.accepted), 60)


def _publisher(broker: Broker, per_s: float, record: IO[bytes] | int) -> subprocess.Popen[bytes]:
    words = [broker.host, str(broker.port), f"{BASE}/say", str(per_s)]
    argv = [sys.executable, "-m", "tests.chaos.publisher", *words]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=record)
