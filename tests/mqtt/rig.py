"""A session of ours against a broker, for tests: what it heard, and waiting with a deadline."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from cosyedge.adapters.mqtt import MqttBroker, MqttSettings
from cosyedge.adapters.mqtt.settings import Subscription
from cosyedge.service.ports import Message, Outgoing
from cosyedge.wire.topics import Topics

TOPICS = Topics("cosyedge", "hall")


def settings(port: int, **changes: Any) -> MqttSettings:
    """A session that reconnects quickly and proves itself often, for tests."""
    quick = MqttSettings(
        host="127.0.0.1",
        port=port,
        client_id="cosyedge-hall",
        canary_topic=TOPICS.of("canary"),
        filters=TOPICS.filters("single"),
        connect_timeout_s=2.0,
        reconnect_min_s=0.05,
        reconnect_max_s=0.2,
        canary_period_s=0.2,
        canary_deadline_s=1.0,
        will=Outgoing(TOPICS.of("availability"), b"offline", retain=True),
        will_delay_s=0,
        birth=Outgoing(TOPICS.of("availability"), b"online", retain=True),
    )
    return replace(quick, **changes)


class Node:
    """Our side of a test."""

    def __init__(self, wanted: MqttSettings, *, acknowledges: bool = True) -> None:
        self.heard: list[Message] = []
        self.online = 0
        self.acknowledges = acknowledges
        self.broker = MqttBroker(wanted, self._hear, on_online=self._count)

    def _hear(self, message: Message) -> None:
        self.heard.append(message)
        if self.acknowledges:
            message.acknowledge()

    def _count(self) -> None:
        self.online += 1

    @property
    def payloads(self) -> list[bytes]:
        """What was heard, in order."""
        return [message.payload for message in self.heard]


async def until(condition: Callable[[], object], *, timeout: float = 15.0) -> None:
    """Wait for a condition; fails at the deadline."""
    try:
        async with asyncio.timeout(timeout):
            while not condition():
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"did not come true within {timeout} s") from None


@contextlib.asynccontextmanager
async def running(
    wanted: MqttSettings, *, acknowledges: bool = True, online: bool = True
) -> AsyncIterator[Node]:
    """A node whose session runs, online unless told otherwise; ends in an orderly way."""
    node = Node(wanted, acknowledges=acknowledges)
    task = asyncio.create_task(node.broker.run())
    try:
        if online:
            await until(lambda: node.broker.connected or task.done())
        yield node
        assert not task.done(), "the session ended by itself"
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def filters(*topics: str) -> tuple[Subscription, ...]:
    """Filters of QoS 1."""
    return tuple(_Filter(topic) for topic in topics)


class _Filter:
    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.qos = 1
