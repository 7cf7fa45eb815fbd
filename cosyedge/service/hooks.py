"""Hooks: something done before and after speech, an amplifier's relay or a player's volume.

A hook that fails or hangs never silences an announcement: it costs at most its deadline.
"""

import asyncio
import logging
import signal
from collections.abc import Sequence

from cosyedge.core.errors import CosyedgeError
from cosyedge.service.ports import Broker, Outgoing
from cosyedge.service.settings import Hook

log = logging.getLogger(__name__)


async def run_hooks(hooks: Sequence[Hook], broker: Broker | None, zone: str) -> None:
    """Run ``hooks`` one after another, each within its deadline. Never raises."""
    for hook in hooks:
        try:
            async with asyncio.timeout(hook.deadline_s):
                await _run(hook, broker)
        except (TimeoutError, CosyedgeError, OSError) as error:
            log.warning("hook failed: %s", error or "deadline", extra={"COSYEDGE_ZONE": zone})


async def _run(hook: Hook, broker: Broker | None) -> None:
    if hook.topic is not None and broker is not None:
        await broker.publish(
            Outgoing(hook.topic, hook.payload.encode()), deadline_s=hook.deadline_s
        )
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
        process.send_signal(signal.SIGKILL)
        await process.wait()
        raise
    if status:
        raise OSError(f"{hook.argv[0]} ended with status {status}")
