"""The outbox: events wait on disk until the broker has acknowledged them."""

import asyncio
import logging

from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Broker, Journal, OutboxRow

log = logging.getLogger(__name__)

IN_FLIGHT = 64
RETRY_S = 1.0
UNDELIVERABLE = frozenset({"too_large", "publish_refused"})


class Outbox:
    """Publishes the journal's outgoing rows, oldest first, and forgets them at their PUBACK."""

    def __init__(self, journal: Journal, broker: Broker) -> None:
        self._journal = journal
        self._broker = broker
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Say that there may be rows, or that the broker is back."""
        self._wake.set()

    async def run(self) -> None:
        """Publish until cancelled."""
        while True:
            rows = self._journal.undelivered(IN_FLIGHT)
            if not rows or not self._broker.connected:
                await self._rest()
                continue
            results = await asyncio.gather(*(self._publish(row) for row in rows))
            done = [row.seq for row, gone in zip(rows, results, strict=True) if gone]
            await self._journal.delivered(done)
            if not done:
                await self._rest()

    async def _rest(self) -> None:
        self._wake.clear()
        try:
            async with asyncio.timeout(RETRY_S):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _publish(self, row: OutboxRow) -> bool:
        """Whether the row can be forgotten."""
        try:
            await self._broker.publish(row.message)
        except OutputFailure as error:
            if error.code not in UNDELIVERABLE:
                return False
            # The broker will refuse it again and again: keeping it would block the rest.
            log.warning("event not delivered", extra={"COSYEDGE_CODE": error.code})
        return True
