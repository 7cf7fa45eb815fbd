"""A second MQTT client for tests: hears topics, publishes, and waits with a deadline."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.support.broker import Broker


@dataclass(frozen=True, slots=True)
class Heard:
    """One message; ``at`` is the loop's time, ``properties`` the user properties of MQTT 5."""

    topic: str
    payload: bytes
    retain: bool
    at: float
    content_type: str | None = None
    expiry_s: int | None = None
    correlation: bytes | None = None
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def json(self) -> Any:
        """The payload read as JSON."""
        return json.loads(self.payload)


class Listener:
    """Keeps all it heard, in order."""

    def __init__(self, client: paho.Client, loop: asyncio.AbstractEventLoop) -> None:
        self.heard: list[Heard] = []
        self._client = client
        self._loop = loop
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def publish(
        self,
        topic: str,
        payload: bytes | str = b"",
        *,
        qos: int = 1,
        retain: bool = False,
        **v5: Any,
    ) -> None:
        """Send; ``v5`` are properties by paho's names (MessageExpiryInterval=3, ...)."""
        properties = Properties(PacketTypes.PUBLISH)
        for name, value in v5.items():
            setattr(properties, name, value)
        self._client.publish(topic, payload, qos=qos, retain=retain, properties=properties)

    async def wait(
        self, wanted: Callable[[Heard], bool], *, count: int = 1, timeout: float = 10.0
    ) -> list[Heard]:
        """The first ``count`` messages that are wanted, past ones too; fails at the deadline."""

        def found() -> list[Heard]:
            return [heard for heard in self.heard if wanted(heard)][:count]

        try:
            async with asyncio.timeout(timeout), self._news:
                await self._news.wait_for(lambda: len(found()) >= count)
        except TimeoutError:
            topics = [(h.topic, h.payload[:80]) for h in self.heard[-20:]]
            raise AssertionError(f"not heard within {timeout} s; the last were {topics}") from None
        return found()

    async def topic(self, topic: str, *, timeout: float = 10.0) -> Heard:
        """The first message on exactly this topic."""
        return (await self.wait(lambda heard: heard.topic == topic, timeout=timeout))[0]

    async def event(
        self, event_type: str, *, id: str | None = None, timeout: float = 10.0
    ) -> dict[str, Any]:
        """The first event of this type (and id) on any node's event topic, as a dictionary."""

        def wanted(heard: Heard) -> bool:
            if not heard.topic.endswith("/event"):
                return False
            event = heard.json
            return event["event_type"] == event_type and id in (None, event.get("id"))

        found: dict[str, Any] = (await self.wait(wanted, timeout=timeout))[0].json
        return found

    def hear(self, message: paho.MQTTMessage) -> None:
        """Called in paho's thread."""
        properties = message.properties
        heard = Heard(
            message.topic,
            message.payload,
            message.retain,
            self._loop.time(),
            getattr(properties, "ContentType", None),
            getattr(properties, "MessageExpiryInterval", None),
            getattr(properties, "CorrelationData", None),
            dict(getattr(properties, "UserProperty", [])),
        )
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._keep, heard)

    def _keep(self, heard: Heard) -> None:
        self.heard.append(heard)
        task = self._loop.create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()


@contextlib.asynccontextmanager
async def listen(
    broker: Broker, *filters: str, username: str | None = None, password: str | None = None
) -> AsyncIterator[Listener]:
    """Connect a listener and return once its subscriptions (default: all) are granted."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    if username is not None:
        client.username_pw_set(username, password)
    listener = Listener(client, loop)
    wanted = [(each, paho.SubscribeOptions(qos=1)) for each in filters or ("#",)]
    client.on_connect = lambda client, *_: client.subscribe(wanted)
    client.on_subscribe = lambda *_: loop.call_soon_threadsafe(ready.set)
    client.on_message = lambda _client, _data, message: listener.hear(message)
    client.connect(broker.host, broker.port)
    client.loop_start()
    try:
        async with asyncio.timeout(10):
            await ready.wait()
        yield listener
    finally:
        client.disconnect()
        client.loop_stop()
