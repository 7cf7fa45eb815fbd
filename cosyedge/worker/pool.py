"""The workers of all voices: one process each, as many at once as the memory allows.

Satisfies ``service.ports.SpeechEngine``.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from cosyedge.core.errors import EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice
from cosyedge.service.ports import EngineStatus
from cosyedge.worker.client import WorkerClient
from cosyedge.worker.settings import WorkerSettings


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """Settings of all workers together.

    ``default_voice`` is started at once and is the last to give way.
    ``total_cap_bytes``: what all workers may hold resident; None is no cap.
    ``by_voice`` replaces ``worker`` for some voices.
    """

    default_voice: str
    worker: WorkerSettings
    total_cap_bytes: int | None = None
    by_voice: Mapping[str, WorkerSettings] = field(default_factory=dict)


class WorkerPool:
    """One worker a voice, started when it is asked for, ended when another needs its memory."""

    def __init__(
        self,
        voices: Mapping[str, Voice],
        folders: Mapping[str, Path],
        settings: PoolSettings,
        *,
        rss_of: Callable[[int], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``folders`` says where each voice's files are; ``rss_of`` reads a process's memory."""
        self._settings = settings
        self._clients = {
            name: WorkerClient(
                voice,
                folders[name],
                settings.by_voice.get(name, settings.worker),
                rss_of=rss_of,
                clock=clock,
            )
            for name, voice in voices.items()
        }
        self._voices = dict(voices)
        # Running ones, the least recently used first.
        self._running: OrderedDict[str, WorkerClient] = OrderedDict()
        self._making_room = asyncio.Lock()

    @property
    def voices(self) -> Mapping[str, Voice]:
        """The voices by name."""
        return self._voices

    def worker(self, voice: str) -> WorkerClient:
        """Return the worker of ``voice``, running or not; raises EngineFailure("unknown_voice")."""
        if voice not in self._clients:
            raise EngineFailure("unknown_voice", f"no voice is called {voice}")
        return self._clients[voice]

    async def start(self) -> None:
        """Start the default voice's worker; returns when it is ready or failed. Never raises."""
        if self._settings.default_voice in self._clients:
            client = await self._running_worker(self._settings.default_voice, priority=0)
            await client.start()

    async def stop(self) -> None:
        """End all workers."""
        running = list(self._running.values())
        self._running.clear()
        await asyncio.gather(*(client.stop() for client in running))

    async def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        """Yield (index, speech) as each is made, by the worker of the requests' voice.

        All requests name one voice. Closing the iterator cancels the synthesis.
        Raises EngineFailure, or Cancelled when a higher priority took the worker.
        """
        names = {request.voice for request in requests}
        if len(names) != 1:
            raise EngineFailure("engine_error", "the requests of one call name one voice")
        client = await self._running_worker(names.pop(), priority if preempt else 0)
        stream = client.synthesize(
            requests, deadline_s=deadline_s, priority=priority, preempt=preempt
        )
        async with aclosing(stream):
            async for indexed in stream:
                yield indexed

    async def ping(self, timeout_s: float) -> float:
        """Return the longest round trip in seconds of the workers that are idle.

        Raises EngineFailure where one does not answer, or none runs.
        """
        idle = [client for client in self._running.values() if client.state == "ready"]
        if not idle:
            raise EngineFailure("engine_unavailable", "no worker is idle")
        return max(await asyncio.gather(*(client.ping(timeout_s) for client in idle)))

    def rss_bytes(self) -> int:
        """Resident memory of all workers."""
        return sum(client.rss_bytes() for client in self._running.values())

    def status(self) -> EngineStatus:
        """Tell about the workers: of the busiest one, with the sums of all.

        The state is the default voice's while nothing is in hand.
        """
        running = list(self._running.values())
        shown = max(running, key=self._prominence, default=None)
        if shown is None:
            return EngineStatus("stopped")
        return EngineStatus(
            state=shown.state,
            rss_bytes=sum(client.rss_bytes() for client in running),
            progressed_at=shown.last_progress,
            deadline_at=shown.deadline_at,
            restarts=sum(client.counters.total() for client in self._clients.values()),
            fault=shown.fault.code if shown.fault else None,
        )

    def _prominence(self, client: WorkerClient) -> tuple[bool, bool]:
        return (
            client.deadline_at is not None,
            client.voice.name == self._settings.default_voice,
        )

    async def _running_worker(self, voice: str, priority: int) -> WorkerClient:
        """Return the voice's worker, started; where memory is short others give way first.

        What they have in hand is cut if it is lower than ``priority``.
        """
        client = self.worker(voice)
        if voice not in self._running:
            async with self._making_room:
                if voice not in self._running:
                    await self._make_room(client, priority)
                    client.begin()
                    self._running[voice] = client
        self._running.move_to_end(voice)
        return client

    async def _make_room(self, newcomer: WorkerClient, priority: int) -> None:
        cap_bytes = self._settings.total_cap_bytes
        if cap_bytes is None:
            return
        need_bytes = newcomer.expected_bytes
        while self._running and self.rss_bytes() + need_bytes > cap_bytes:
            name = self._least_wanted()
            await self._running.pop(name).retire(priority)

    def _least_wanted(self) -> str:
        idle_first = sorted(self._running, key=lambda name: self._running[name].state == "busy")
        others = [name for name in idle_first if name != self._settings.default_voice]
        return (others or idle_first)[0]
