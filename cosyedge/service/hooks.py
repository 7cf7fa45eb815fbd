"""Hooks: what is done when a zone begins to speak and when it falls silent.

An amplifier's relay, a music player's volume. A hook that fails or hangs never silences an
announcement: it costs at most its deadline.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from cosyedge.core.errors import CosyedgeError
from cosyedge.service.ports import Broker, Outgoing
from cosyedge.service.settings import Hook, Zone

log = logging.getLogger(__name__)


class Curtain:
    """Opens a zone before its first announcement and closes it once nothing plays there.

    Announcements that follow each other at once share one opening.
    """

    def __init__(
        self, zones: Mapping[str, Zone], broker: Broker, *, is_silent: Callable[[str], bool]
    ) -> None:
        """``is_silent`` says whether nothing plays in a zone."""
        self._zones = zones
        self._broker = broker
        self._is_silent = is_silent
        self._open: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def open(self, zone: str) -> None:
        """Run the zone's hooks before speech, unless it is open. Never raises."""
        hooks = self._zones[zone].before
        if not hooks and not self._zones[zone].after:
            return
        async with self._locks[zone]:
            if zone not in self._open:
                self._open.add(zone)
                await self._run(hooks, zone)

    async def close(self, zone: str) -> None:
        """Run the hooks after speech, if it is open and silent. Never raises."""
        if zone not in self._open:
            return
        async with self._locks[zone]:
            if zone in self._open and self._is_silent(zone):
                self._open.discard(zone)
                await self._run(self._zones[zone].after, zone)

    async def _run(self, hooks: Sequence[Hook], zone: str) -> None:
        for hook in hooks:
            try:
                async with asyncio.timeout(hook.deadline_s):
                    await _do(hook, self._broker)
            except (TimeoutError, CosyedgeError, OSError) as error:
                log.warning("hook failed: %s", error or "deadline", extra={"COSYEDGE_ZONE": zone})


async def _do(hook: Hook, broker: Broker) -> None:
    if hook.topic is not None:
        message = Outgoing(hook.topic, hook.payload.encode())
        await broker.publish(message, deadline_s=hook.deadline_s)
    if not hook.argv:
        return
    process = await asyncio.create_subprocess_exec(
        *hook.argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        status = await process.wait()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if status:
        raise OSError(f"{hook.argv[0]} ended with status {status}")
