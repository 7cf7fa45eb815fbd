"""Serving: start, run until told to stop, and an orderly end."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from cosyedge.adapters.log_output import configure_logging
from cosyedge.adapters.systemd import Notifier
from cosyedge.config import Settings, load_settings
from cosyedge.core.errors import CosyedgeError, SettingsError
from cosyedge.daemon.node import Node
from cosyedge.daemon.plant import Plant, build
from cosyedge.worker.pool import WorkerPool

log = logging.getLogger(__name__)

FAILURE = 1
STOP_S = 8.0
#: A reload lets what plays come to its end.
DRAIN_S = 60.0
BUILD_S = 60.0
#: A thread that reads a long text gives way to the event loop after this, not after 5 ms: the
#: loop asks anew each time that it wakes.
SWITCH_S = 0.001


class LoopEndedError(RuntimeError):
    """A loop that runs until cancelled returned."""


def serve(config: Path | None) -> int:
    """Run the node; returns the exit status. Raises SettingsError before anything starts."""
    settings = load_settings(config)
    configure_logging(settings.log.format, settings.log.level)
    sys.setswitchinterval(SWITCH_S)
    try:
        asyncio.run(Daemon(config, settings, Notifier.from_environment()).run())
    except ExceptionGroup as group:
        # One part broke: the service manager starts all of them again.
        log.critical("a part broke: %s", group.exceptions[0], exc_info=group)
        return FAILURE
    return 0


class Daemon:
    """One life of the daemon, over as many nodes as it is reloaded."""

    def __init__(self, config: Path | None, settings: Settings, notifier: Notifier) -> None:
        self._config = config
        self._settings = settings
        self._notifier = notifier
        self._stop = asyncio.Event()
        self._reload = asyncio.Event()
        self._pool: WorkerPool | None = None
        self._keeps_pool = True

    async def run(self) -> None:
        """Serve node after node until SIGTERM or SIGINT; SIGHUP makes the next one."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        loop.add_signal_handler(signal.SIGHUP, self._reload.set)
        while not self._stop.is_set():
            self._reload.clear()
            await self._one_node()
        log.info("stopped")

    async def _one_node(self) -> None:
        """Build, start and serve one node; returns when it was stopped or replaced."""
        # A journal or a cache on a slow card may take long to open and check.
        self._notifier.extend_timeout(BUILD_S)
        plant = await build(
            self._settings, self._notifier, on_online=lambda: node.online(), pool=self._pool
        )
        self._pool = plant.pool
        node = Node(plant, reload=self._reload.set)
        warm_up = asyncio.create_task(plant.pool.start(), name="workers")
        await node.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                loops = [
                    tasks.create_task(_endless(name, loop), name=name)
                    for name, loop in node.loops()
                ]
                # What the node is built of is never garbage, and to look through it takes 25 ms.
                gc.collect()
                gc.freeze()
                self._notifier.ready(node.status())
                log.info("ready", extra={"voice": self._settings.engine.voice})
                await self._until_told()
                if self._stop.is_set():
                    self._notifier.stopping()
                else:
                    await self._drain(node)
                async with asyncio.timeout(STOP_S):
                    await node.close()
                for task in loops:
                    task.cancel()
        finally:
            warm_up.cancel()
            await self._release(plant)

    async def _drain(self, node: Node) -> None:
        """Let what plays come to its end, unless we are told to stop meanwhile."""
        drain = asyncio.create_task(node.drain(DRAIN_S), name="drain")
        stop = asyncio.create_task(self._stop.wait(), name="stop")
        await asyncio.wait({drain, stop}, return_when=asyncio.FIRST_COMPLETED)
        drain.cancel()
        stop.cancel()

    async def _until_told(self) -> None:
        """Wait for the end, or for a reload whose configuration is good."""
        while not self._stop.is_set():
            waits = [
                asyncio.create_task(self._stop.wait(), name="stop"),
                asyncio.create_task(self._reload.wait(), name="reload"),
            ]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
            if self._stop.is_set() or self._new_settings():
                return

    def _new_settings(self) -> bool:
        """Read the configuration again; a broken file keeps the old one and says why."""
        self._reload.clear()
        self._notifier.reloading()
        before = self._settings
        try:
            self._settings = load_settings(self._config)
        except SettingsError as error:
            log.error(  # noqa: TRY400 - the message says it all
                "reload refused: %s", error, extra={"COSYEDGE_CODE": error.code}
            )
            self._notifier.ready(f"reload refused: {error}")
            return False
        if (before.engine, before.paths) != (self._settings.engine, self._settings.paths):
            self._keeps_pool = False
        log.info("reloaded")
        return True

    async def _release(self, plant: Plant) -> None:
        """Give back processes, files and threads, whatever state they are in."""
        plant.encoder.close()
        closing = [plant.cache.close(), plant.journal.close()]
        if self._stop.is_set() or not self._keeps_pool:
            self._pool, self._keeps_pool = None, True
            closing.append(plant.pool.stop())
        results = await asyncio.gather(*closing, return_exceptions=True)
        for result in results:
            if isinstance(result, CosyedgeError | OSError):
                log.warning("not released: %s", result)
            elif isinstance(result, BaseException):
                raise result


async def _endless(name: str, loop: Coroutine[Any, Any, None]) -> None:
    """A TaskGroup ignores a task that merely returns: this one does not."""
    await loop
    raise LoopEndedError(f"the loop {name} returned")
