"""A publisher of its own: ``python -m tests.chaos.publisher HOST PORT TOPIC PER_S``.

Publishes announcements at QoS 1 until its standard input ends, then waits for the last PUBACK; a
"-" there holds it, a "+" lets it go on. Each id is a line of its standard output once the broker
has acknowledged it.
"""

import json
import os
import select
import sys
import threading
import time

import paho.mqtt.client as paho

PHRASES = ("Yes.", "No.", "Go.", "Stop.", "Open.", "Shut.", "On.", "Off.")
PACED_EVERY = 50


def main() -> None:
    host, port, topic, per_s = sys.argv[1:]
    record = _Record()
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.max_inflight_messages_set(1000)
    client.on_publish = lambda _c, _d, mid, _reason, _properties: record.acknowledged(mid)
    client.connect(host, int(port))
    client.loop_start()
    number, next_at, held = 0, time.monotonic(), False
    while True:
        left_s = None if held else max(0.0, next_at - time.monotonic())
        if select.select([sys.stdin], [], [], left_s)[0]:
            told = os.read(0, 64)
            if not told:
                break
            held, next_at = told.endswith(b"-"), time.monotonic()
            continue
        id = f"{os.getpid()}-{number}"
        body = {"id": id, "text": PHRASES[number % len(PHRASES)], "ttl": 3600, "lang": "en"}
        # Few go to a zone that is busy for as long as they sound: kills find these playing.
        body["zone"] = "hall" if number % PACED_EVERY == 0 else "yard"
        record.published(id, client.publish(topic, json.dumps(body), qos=1).mid)
        number += 1
        next_at += 1 / float(per_s)
    record.wait_until_empty(30)
    client.disconnect()
    client.loop_stop()


class _Record:
    """What is under way; an acknowledged id is printed as one whole line."""

    def __init__(self) -> None:
        self._under_way: dict[int, str] = {}
        self._early: set[int] = set()
        self._changed = threading.Condition()

    def published(self, id: str, mid: int) -> None:
        with self._changed:
            if mid in self._early:
                self._early.discard(mid)
                _print(id)
            else:
                self._under_way[mid] = id

    def acknowledged(self, mid: int) -> None:
        with self._changed:
            id = self._under_way.pop(mid, None)
            if id is None:
                self._early.add(mid)
            else:
                _print(id)
            self._changed.notify_all()

    def wait_until_empty(self, deadline_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._under_way, deadline_s)


def _print(id: str) -> None:
    os.write(1, f"{id}\n".encode())


if __name__ == "__main__":
    main()
