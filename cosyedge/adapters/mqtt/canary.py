"""Prove life by a round trip through the broker: out as a publish, back as a subscription."""

import asyncio
from itertools import count
from typing import Any

from cosyedge.adapters.mqtt.link import Link
from cosyedge.adapters.mqtt.subscribing import FAILED
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Message, Outgoing

MOST_EXTENSIONS = 24


class Canary:
    """Sends a numbered probe and waits for it.

    It leaves at QoS 1, so that the broker must answer it even where it will not carry it, and
    comes back at QoS 0, so that no window of unacknowledged messages can hold it up.
    """

    def __init__(self, topic: str, client_id: str, deadline_s: float) -> None:
        self._topic = topic
        self._client_id = client_id
        self._deadline_s = deadline_s
        self._numbers = count(1)
        self._expected = b""
        self._back: asyncio.Future[None] | None = None

    def heard(self, message: Message) -> bool:
        """Whether the message is a canary, ours or not; nobody else needs to see it."""
        if message.topic != self._topic:
            return False
        message.acknowledge()
        if message.payload == self._expected and self._back is not None and not self._back.done():
            self._back.set_result(None)
        return True

    async def fly(self, link: Link) -> float:
        """The round trip in seconds.

        Raises OutputFailure: broker_unavailable where nothing comes back at all,
        not_authorized where the broker takes the probe and does not deliver it.
        """
        loop = asyncio.get_running_loop()
        self._expected = f"{self._client_id}:{next(self._numbers)}".encode()
        self._back = back = loop.create_future()
        started = loop.time()
        taken = link.publish(
            Outgoing(self._topic, self._expected, expiry_s=max(1.0, self._deadline_s))
        )
        await self._until_back_or_refused(link, taken, back)
        if back.done():
            return loop.time() - started
        if taken.done():
            raise OutputFailure(
                "not_authorized",
                f"the broker does not let us write and read {self._topic}",
            )
        raise OutputFailure("broker_unavailable", "the canary did not come back in time")

    async def _until_back_or_refused(
        self, link: Link, taken: asyncio.Future[int], back: asyncio.Future[None]
    ) -> None:
        """Wait for the deadline, and on while bytes still move: a slow line is no dead one."""
        delivered = link.delivered_bytes()
        for _ in range(MOST_EXTENSIONS):
            waiting: set[asyncio.Future[Any]] = {back} if taken.done() else {back, taken}
            done, _pending = await asyncio.wait(
                waiting, timeout=self._deadline_s, return_when="FIRST_COMPLETED"
            )
            if back in done or (taken.done() and taken.result() >= FAILED):
                return
            if done:
                continue
            moved = link.delivered_bytes() - delivered
            delivered += moved
            if not moved or taken.done():
                return
