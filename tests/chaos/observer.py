"""An observer outside of the daemon, with a persistent session: it keeps every event and clip."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ENDS = frozenset({"finished", "partial", "failed", "expired", "cancelled", "suppressed"})


@dataclass(slots=True)
class Observed:
    """What was heard of each id: its distinct accepted events and ends, and its clips.

    An event is the same one when its bytes are: the outbox sends it again where a kill came
    between the PUBACK and its removal, and ``repeated`` counts these.
    """

    accepted: dict[str, set[bytes]] = field(default_factory=dict)
    ends: dict[str, set[bytes]] = field(default_factory=dict)
    clips: Counter[str] = field(default_factory=Counter)
    clips_after_the_end: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    started: set[str] = field(default_factory=set)
    repeated: int = 0

    @property
    def answered(self) -> int:
        """How many messages were accepted or rejected."""
        return len(self.accepted) + sum(self.rejected.values())

    def event(self, payload: bytes) -> None:
        """Count an event."""
        event: dict[str, Any] = json.loads(payload)
        kind, id = event["event_type"], event.get("id") or ""
        if kind == "rejected":
            self.rejected[str(event.get("reason"))] += 1
        if kind == "started":
            self.started.add(id)
        known = self.ends if kind in ENDS else self.accepted if kind == "accepted" else None
        if known is None:
            return
        told = known.setdefault(id, set())
        if payload in told:
            self.repeated += 1
            return
        told.add(payload)
        if kind in ENDS:
            self.reasons[f"{kind} {_reason(event)}".strip()] += 1

    def clip(self, id: str) -> None:
        """Count a clip."""
        self.clips[id] += 1
        if id in self.ends:
            self.clips_after_the_end[id] += 1


def _reason(event: dict[str, Any]) -> str:
    zones = event.get("zones") or {}
    return event.get("reason") or next((z["reason"] for z in zones.values() if "reason" in z), "")


class Observer:
    """Hears events and clips in paho's thread; the counts are read under its lock."""

    def __init__(self, base: str) -> None:
        self.seen = Observed()
        self.online = 0
        self._base = base
        self._changed = threading.Condition()

    def hear(self, topic: str, payload: bytes) -> None:
        """Take a message."""
        with self._changed:
            if topic == f"{self._base}/event":
                self.seen.event(payload)
            elif topic.startswith(f"{self._base}/audio/"):
                self.seen.clip(topic.split("/")[4])
            elif topic == f"{self._base}/availability":
                self.online += payload == b"online"
            self._changed.notify_all()

    def next_online(self, deadline_s: float) -> bool:
        """Whether the node came online once more before the deadline."""
        before = self.online
        return self.wait(lambda: self.online > before, deadline_s)

    def wait(self, wanted: Callable[[], bool], deadline_s: float) -> bool:
        """Whether it came true before the deadline."""
        with self._changed:
            return self._changed.wait_for(wanted, deadline_s)


@contextmanager
def observing(host: str, port: int, base: str) -> Iterator[Observer]:
    """An observer whose subscriptions are granted."""
    observer = Observer(base)
    ready = threading.Event()
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, "observer", protocol=paho.MQTTv5)
    topics = [f"{base}/event", f"{base}/audio/#", f"{base}/availability"]
    client.on_connect = lambda c, *_: c.subscribe([(t, paho.SubscribeOptions(1)) for t in topics])
    client.on_subscribe = lambda *_: ready.set()
    client.on_message = lambda _c, _d, message: observer.hear(message.topic, message.payload)
    kept = Properties(PacketTypes.CONNECT)
    kept.SessionExpiryInterval = 3600
    client.connect(host, port, clean_start=False, properties=kept)
    client.loop_start()
    try:
        assert ready.wait(10)
        yield observer
    finally:
        client.disconnect()
        client.loop_stop()
