"""What we publish on one connection: never too large, never more at once than the broker takes."""

import asyncio
from collections import deque
from dataclasses import dataclass

from paho.mqtt.enums import MQTTErrorCode

from cosyedge.adapters.mqtt.client import Client
from cosyedge.adapters.mqtt.packets import PublishProperties, packet_bytes
from cosyedge.adapters.mqtt.status import BrokerLimits
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Outgoing


@dataclass(slots=True)
class _Letter:
    """A message on its way; ``answer`` is the PUBACK's code."""

    message: Outgoing
    properties: PublishProperties | None
    qos: int
    answer: asyncio.Future[int]


class Window:
    """Keeps the broker's Receive Maximum, which paho takes only before it connects."""

    def __init__(self, client: Client, limits: BrokerLimits, *, v5: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._client = client
        self._limits = limits
        self._v5 = v5
        self._sent: dict[int, _Letter] = {}
        self._backlog: deque[_Letter] = deque()
        self._in_flight = 0

    def publish(self, message: Outgoing) -> asyncio.Future[int]:
        """Send it, or keep it until the window opens. Raises OutputFailure("too_large")."""
        properties = PublishProperties(message) if self._v5 else None
        size = packet_bytes(message, properties)
        if size > self._limits.packet_bytes:
            raise OutputFailure(
                "too_large", f"{size} bytes exceed the broker's {self._limits.packet_bytes}"
            )
        qos = min(message.qos, self._limits.qos)
        letter = _Letter(message, properties, qos, self._loop.create_future())
        if qos and self._in_flight >= self._limits.inflight:
            self._backlog.append(letter)
        else:
            self._send(letter)
        return letter.answer

    def settle(self, mid: int, code: int) -> None:
        """A PUBACK came, or a message of QoS 0 was written."""
        letter = self._sent.pop(mid, None)
        if letter is None:
            return
        if not letter.answer.done():
            letter.answer.set_result(code)
        if letter.qos:
            self._in_flight -= 1
            if self._backlog:
                self._loop.call_soon(self._send_backlog)

    def fail(self, reason: OutputFailure) -> None:
        """The connection is lost."""
        for letter in (*self._sent.values(), *self._backlog):
            if not letter.answer.done():
                letter.answer.set_exception(reason)
                letter.answer.exception()  # nobody may be waiting any more
        self._sent.clear()
        self._backlog.clear()

    def _send(self, letter: _Letter) -> None:
        message = letter.message
        try:
            info = self._client.publish(
                message.topic,
                message.payload,
                qos=letter.qos,
                retain=message.retain and self._limits.retain,
                properties=letter.properties,
            )
        except ValueError as error:
            letter.answer.set_exception(OutputFailure("publish_refused", f"{error}"))
            return
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            letter.answer.set_exception(OutputFailure("broker_unavailable", f"paho: {info.rc}"))
            return
        self._in_flight += letter.qos
        self._sent[info.mid] = letter

    def _send_backlog(self) -> None:
        """Pass over those who gave up waiting."""
        while self._backlog and self._in_flight < self._limits.inflight:
            letter = self._backlog.popleft()
            if not letter.answer.done():
                self._send(letter)
