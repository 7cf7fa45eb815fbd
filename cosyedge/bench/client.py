"""The measuring client: bare paho in this thread, so that its own share of a latency is small."""

import json
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from cosyedge.core.errors import OutputFailure

_LOOP_S = 0.05


class MeasuringClient:
    """Publishes, and notes when each topic's first message came (seconds of perf_counter)."""

    def __init__(self, host: str, port: int, *filters: str) -> None:
        self.events: list[dict[str, Any]] = []
        self.first_at: dict[str, float] = {}
        self._last_payload: dict[str, bytes] = {}
        self._filters = filters
        self._granted = False
        self._client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        self._client.max_inflight_messages_set(10_000)
        self._client.max_queued_messages_set(0)
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_message = self._on_message
        self._client.on_socket_open = no_delay
        self._client.connect(host, port)

    def __enter__(self) -> Self:
        self.run_until(lambda: self._granted, 10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.disconnect()

    def publish(self, topic: str, payload: bytes | dict[str, Any]) -> None:
        """Send at QoS 1, at once."""
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self._client.publish(topic, body, qos=1)

    def run_until(self, reached: Callable[[], bool], deadline_s: float) -> None:
        """Handle what comes until ``reached``. Raises OutputFailure at the deadline."""
        deadline = time.perf_counter() + deadline_s
        while not reached():
            if time.perf_counter() > deadline:
                raise OutputFailure("broker_unavailable", f"not reached within {deadline_s:g} s")
            self._client.loop(_LOOP_S)

    def payload(self, topic: str) -> bytes | None:
        """Give the last payload of a topic, None where none came."""
        return self._last_payload.get(topic)

    def _on_connect(self, client: paho.Client, *_: Any) -> None:
        client.subscribe([(each, SubscribeOptions(qos=1)) for each in self._filters])

    def _on_subscribe(self, *_: Any) -> None:
        self._granted = True

    def _on_message(self, _client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        self.first_at.setdefault(message.topic, time.perf_counter())
        self._last_payload[message.topic] = bytes(message.payload)
        if message.topic.endswith("/event"):
            self.events.append(json.loads(message.payload))


def no_delay(_client: paho.Client, _data: Any, sock: Any) -> None:
    """Switch Nagle's algorithm off, as the daemon does."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
