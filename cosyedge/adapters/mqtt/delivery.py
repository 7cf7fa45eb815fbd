"""Delivery: a publish that outlives its connection, within a deadline."""

import asyncio
from typing import Final

from cosyedge.adapters.mqtt.link import Link
from cosyedge.adapters.mqtt.subscribing import FAILED
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Outgoing

# A message that was in flight when the connection broke so often may be what broke it.
ATTEMPTS: Final = 3


class Delivery:
    """Publishes over the link of the moment; ``link`` is None between two connections."""

    def __init__(self, max_waiting: int) -> None:
        self.published = 0
        self._max_waiting = max_waiting
        self._waiting = 0
        self._link: Link | None = None
        self._up = asyncio.Event()

    @property
    def link(self) -> Link | None:
        """The subscribed connection, if there is one."""
        return self._link

    @link.setter
    def link(self, link: Link | None) -> None:
        self._link = link
        if link is not None:
            self._up.set()

    async def publish(self, message: Outgoing, deadline_s: float) -> None:
        """Return at the PUBACK. Raises OutputFailure as the port says."""
        if self._waiting >= self._max_waiting:
            raise OutputFailure("queue_full", "too many messages wait for the broker")
        self._waiting += 1
        try:
            async with asyncio.timeout(deadline_s):
                await self._deliver(message)
        except TimeoutError as error:
            raise OutputFailure(
                "broker_unavailable", f"not delivered within {deadline_s:g} s"
            ) from error
        finally:
            self._waiting -= 1

    async def _deliver(self, message: Outgoing) -> None:
        for _ in range(ATTEMPTS):
            link = await self._usable_link()
            try:
                code = await link.publish(message)
            except OutputFailure:
                if not link.lost.done():
                    raise
                continue
            if code >= FAILED:
                raise OutputFailure("publish_refused", f"PUBACK 0x{code:02X} on {message.topic}")
            self.published += 1
            return
        raise OutputFailure("broker_unavailable", "the connection broke at each attempt")

    async def _usable_link(self) -> Link:
        while (link := self._link) is None or link.lost.done():
            self._up.clear()
            await self._up.wait()
        return link
