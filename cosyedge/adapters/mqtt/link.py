"""One connection to a broker: a paho client that lives as long as its socket.

A client made anew each time has an empty store: what a broker dislikes is never sent again by
itself. paho runs inside our loop (its socket callbacks, loop_read, loop_write, loop_misc); its
callbacks only settle futures and pass messages on, and whatever it raises ends this
connection, not the session.
"""

import asyncio
import fcntl
import struct
import termios
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.exception import MQTTException
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from cosyedge.adapters.mqtt.client import Client
from cosyedge.adapters.mqtt.dial import Line
from cosyedge.adapters.mqtt.frames import FramedSocket
from cosyedge.adapters.mqtt.packets import limits_of, message_from
from cosyedge.adapters.mqtt.reasons import lost_failure
from cosyedge.adapters.mqtt.settings import MqttSettings, Subscription, Version
from cosyedge.adapters.mqtt.status import BrokerLimits
from cosyedge.adapters.mqtt.turns import Turns
from cosyedge.adapters.mqtt.window import Window
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Message, Outgoing

SLICE_S: Final = 0.005
MISC_PERIOD_S: Final = 2.0
# All that paho and its decoders have been seen to raise, and their like.
PAHO_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    MQTTException,
    struct.error,
)


#: A payload of this size is sound.
SOUND_BYTES: Final = 4096


class Link:
    """``lost`` settles with the reason once the connection has ended."""

    def __init__(
        self,
        settings: MqttSettings,
        version: Version,
        line: Line,
        hear: Callable[[Message], None],
        is_full: Callable[[], bool] = lambda: False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[OutputFailure] = self._loop.create_future()
        self.version = version
        self.certificate_expires_at = line.certificate_expires_at
        self.session_present = False
        self.limits = BrokerLimits(settings.broker_max_bytes)
        self.progressed_at = self.opened_at = self._loop.time()
        self._settings = settings
        self._hear = hear
        self._v5 = version == "5"
        self._socket = FramedSocket(line.sock, settings.max_packet_bytes, v5=self._v5)
        self._fd = self._socket.fileno()
        self._turns = Turns(self._fd, self._readable, is_full)
        self._greeted: asyncio.Future[Properties | None] = self._loop.create_future()
        self._granted: dict[int, asyncio.Future[list[int]]] = {}
        self._unacknowledged: set[int] = set()
        self._writing = self._flush_due = False
        self._misc: asyncio.TimerHandle | None = None
        self._client = Client(settings, self._socket, v5=self._v5)
        self._window = Window(self._client, self.limits, v5=self._v5)
        self._set_callbacks()

    async def open(self) -> None:
        """Send CONNECT and wait for CONNACK. Raises OutputFailure with the broker's reason."""
        settings = self._settings
        try:
            self._client.greet()
            self._turns.begin()
            self._misc = self._loop.call_later(MISC_PERIOD_S, self._keep_alive)
            self._schedule_flush()
            async with asyncio.timeout(settings.connect_timeout_s):
                either: set[asyncio.Future[Any]] = {self._greeted, self.lost}
                await asyncio.wait(either, return_when="FIRST_COMPLETED")
        except TimeoutError:
            self.abort(OutputFailure("broker_unavailable", "no CONNACK in time"))
        except PAHO_ERRORS as error:
            self.abort(OutputFailure("protocol_error", f"paho: {error!r}"))
        if self.lost.done():
            raise self.lost.result()
        self.limits = limits_of(self._greeted.result(), settings)
        self._window = Window(self._client, self.limits, v5=self._v5)

    async def subscribe(self, filters: Iterable[Subscription]) -> list[int]:
        """One code for each filter: the QoS granted, or 0x80 and above. Raises OutputFailure."""
        if self._v5:
            wanted: list[Any] = [
                (each.topic, SubscribeOptions(each.qos, retainHandling=2)) for each in filters
            ]
        else:
            wanted = [(each.topic, each.qos) for each in filters]
        self._raise_if_lost()
        result, mid = self._client.subscribe(wanted)
        if result != MQTTErrorCode.MQTT_ERR_SUCCESS or mid is None:
            raise OutputFailure("protocol_error", f"paho refuses to subscribe: {result}")
        granted: asyncio.Future[list[int]] = self._loop.create_future()
        self._granted[mid] = granted
        return await granted

    def publish(self, message: Outgoing) -> asyncio.Future[int]:
        """Send a message; the future is the PUBACK's code (0 once written at QoS 0).

        Raises OutputFailure: too_large, before paho sees it; or why the connection was lost.
        The future may raise publish_refused or broker_unavailable.
        """
        self._raise_if_lost()
        answer = self._window.publish(message)
        if len(message.payload) >= SOUND_BYTES:
            # Somebody waits for a sound: it does not wait for the loop's next round.
            self._flush()
        return answer

    def delivered_bytes(self) -> int:
        """Bytes that the other side's kernel has acknowledged, plus those it has sent us."""
        return self._socket.sent_bytes - self._unsent_bytes() + self._socket.received_bytes

    def goodbye(self) -> None:
        """Send DISCONNECT, so that the will is not published; ``lost`` settles once it is out."""
        if not self.lost.done():
            self._client.disconnect()

    def abort(self, reason: OutputFailure) -> None:
        """End the connection at once; everything that waits on it fails with ``reason``."""
        if self.lost.done():
            return
        self.lost.set_result(reason)
        self._turns.end()
        self._loop.remove_writer(self._fd)
        if self._misc is not None:
            self._misc.cancel()
        self._socket.close()
        self._window.fail(reason)
        for granted in self._granted.values():
            if not granted.done():
                granted.set_exception(reason)
                granted.exception()  # nobody may be waiting any more
        self._granted.clear()

    def _set_callbacks(self) -> None:
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._on_message
        self._client.on_publish = self._on_publish
        self._client.on_subscribe = self._on_subscribe
        self._client.on_socket_register_write = lambda *_: self._schedule_flush()

    def _raise_if_lost(self) -> None:
        if self.lost.done():
            raise self.lost.result()

    def _readable(self) -> bool:
        """Let paho handle what came, for 5 ms at most; returns whether there is more."""
        until = self._loop.time() + SLICE_S
        try:
            if not self._socket.has_packets:
                self._socket.fill()
            self.progressed_at = self._loop.time()
            while self._socket.has_packets and not self.lost.done() and self._loop.time() < until:
                self._client.loop_read()
        except ConnectionResetError as error:
            self.abort(lost_failure(self._socket, str(error)))
        except PAHO_ERRORS as error:
            self.abort(OutputFailure("protocol_error", f"the connection broke: {error!r}"))
        return self._socket.has_packets and not self.lost.done()

    def _schedule_flush(self) -> None:
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        """Write all that waits; the kernel is asked to call back only when its buffer is full."""
        self._flush_due = False
        if self.lost.done():
            return
        try:
            self._client.loop_write()
            self._socket.flush()
        except ConnectionError as error:
            self.abort(lost_failure(self._socket, str(error)))
            return
        except PAHO_ERRORS as error:
            self.abort(OutputFailure("protocol_error", f"paho: {error!r}"))
            return
        if self.lost.done():
            return
        wants = self._client.want_write() or self._socket.unsent_bytes > 0
        if wants and not self._writing and not self.lost.done():
            self._loop.add_writer(self._fd, self._flush)
        elif self._writing and not wants:
            self._loop.remove_writer(self._fd)
        self._writing = wants

    def _keep_alive(self) -> None:
        try:
            self._client.loop_misc()
        except PAHO_ERRORS as error:
            self.abort(OutputFailure("protocol_error", f"paho: {error!r}"))
        if not self.lost.done():
            self._misc = self._loop.call_later(MISC_PERIOD_S, self._keep_alive)

    def _unsent_bytes(self) -> int:
        """What lies in the kernel's send buffer, unacknowledged (tcp(7), SIOCOUTQ)."""
        if self.lost.done():
            return 0
        (unsent,) = struct.unpack("i", fcntl.ioctl(self._fd, termios.TIOCOUTQ, b"\0" * 4))
        return int(unsent)

    def _acknowledge(self, mid: int) -> None:
        if mid not in self._unacknowledged or self.lost.done():
            return
        self._unacknowledged.discard(mid)
        self._client.ack(mid, 1)

    def _on_connect(
        self,
        _client: paho.Client,
        _data: Any,
        flags: paho.ConnectFlags,
        code: ReasonCode,
        properties: Properties | None,
    ) -> None:
        self.session_present = flags.session_present
        if self._socket.connack_code == 0 and not self._greeted.done():
            self._greeted.set_result(properties if self._v5 else None)
        elif self._socket.connack_code != 0:
            self.abort(lost_failure(self._socket, f"refused: {code}"))

    def _on_disconnect(self, *_: Any) -> None:
        self.abort(lost_failure(self._socket, "disconnected"))

    def _on_message(self, _client: paho.Client, _data: Any, received: paho.MQTTMessage) -> None:
        acknowledge = partial(self._acknowledge, received.mid) if received.qos else _nothing
        if received.qos:
            self._unacknowledged.add(received.mid)
        try:
            message = message_from(received, acknowledge)
        except UnicodeDecodeError:
            acknowledge()
            return
        self._hear(message)

    def _on_publish(
        self, _client: paho.Client, _data: Any, mid: int, code: ReasonCode, _props: Properties
    ) -> None:
        self._window.settle(mid, code.value)

    def _on_subscribe(
        self, _client: paho.Client, _data: Any, mid: int, codes: list[ReasonCode], _p: Properties
    ) -> None:
        granted = self._granted.pop(mid, None)
        if granted is not None and not granted.done():
            granted.set_result([code.value for code in codes])


def _nothing() -> None:
    """A message of QoS 0 needs no acknowledgement."""
