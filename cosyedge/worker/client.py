"""The parent's side of one worker: it runs for ever, and whoever asks gets speech or a failure.

::

    stopped ── starting ── ready ⇄ busy
                  ↑          │ died, stuck, or too large
                  └────── restarting ⇄ failed (it does not load: whoever asks fails at once)

One task owns the worker: it loads the voice, gives it one job after another, and replaces it.
"""

import asyncio
import itertools
import logging
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice
from cosyedge.worker.jobs import Job, WaitingJobs
from cosyedge.worker.link import Link
from cosyedge.worker.messages import LOAD_ID
from cosyedge.worker.settings import WorkerSettings
from cosyedge.worker.tenure import Tenure

log = logging.getLogger(__name__)

State: TypeAlias = Literal["stopped", "starting", "ready", "busy", "restarting", "failed"]

_FAILURES_IN_A_ROW = 3
# A worker that lived so long has forgotten the failures before it.
_STEADY_S = 60.0
_LASTING = ("model_missing", "model_invalid", "out_of_memory", "engine_unavailable")


class WorkerClient:
    """One voice's worker, kept alive; an empty ``program`` is the real one."""

    program: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        voice: Voice,
        folder: Path,
        settings: WorkerSettings,
        *,
        rss_of: Callable[[int], int],
        clock: Callable[[], float] = time.monotonic,
        command: tuple[str, ...] = (),
    ) -> None:
        """``rss_of`` reads the resident bytes of a process id; ``command`` replaces the program."""
        self.voice = voice
        self.counters: Counter[str] = Counter(crashes=0, timeouts=0, recycles=0)
        self.fault: EngineFailure | None = None
        self._folder = folder
        self._settings = settings
        self._rss_of = rss_of
        self._clock = clock
        self._command = command or self.program
        self._state: State = "stopped"
        self._ids = itertools.count(LOAD_ID + 1)
        self._waiting = WaitingJobs()
        self._tenure: Tenure | None = None
        self._acted_at = clock()
        self._next_start_at: float | None = None
        self._failures = 0
        self._recycle_wanted = False
        self._wake = asyncio.Event()
        self._settled = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    @property
    def state(self) -> State:
        """One word for health; "failed" still tries again."""
        busy = self._tenure is not None and self._tenure.job is not None
        return "busy" if busy and self._state == "ready" else self._state

    @property
    def last_progress(self) -> float:
        """Monotonic time of the last answer, or the last attempt at a start."""
        answered_at = self._tenure.progressed_at if self._tenure else 0.0
        return max(answered_at, self._acted_at)

    @property
    def deadline_at(self) -> float | None:
        """Monotonic time until which nothing need be heard: of a load, a job or a back-off."""
        return self._tenure.deadline_at if self._tenure else self._next_start_at

    @property
    def pid(self) -> int | None:
        """The worker's process id, while there is one."""
        return self._tenure.pid if self._tenure else None

    @property
    def waiting(self) -> int:
        """How many requests wait for the worker."""
        return len(self._waiting)

    def rss_bytes(self) -> int:
        """Resident memory of the worker; 0 while there is none."""
        return self._rss_of(self._tenure.pid) if self._tenure else 0

    @property
    def expected_bytes(self) -> int:
        """What the worker may come to hold resident; 0 where it has no cap."""
        return self._settings.memory_cap_bytes or 0

    def begin(self) -> None:
        """Start the worker; whoever asks already waits for it."""
        if self._life is None:
            self._state = "starting"
            self._settled.clear()
            self._life = asyncio.create_task(self._live(), name=f"worker {self.voice.name}")

    async def start(self) -> None:
        """Start the worker and return once it is ready, or failed.

        Never raises: ``state`` and ``fault`` say how it went, and it goes on trying.
        """
        self.begin()
        await self._settled.wait()

    async def retire(self, priority: int) -> None:
        """Give way to another voice: end the job in hand if it is lower, else after it, and stop.

        Who waits gets Cancelled, and may ask again.
        """
        self._waiting.end_all(Cancelled())
        if self._tenure and (job := self._tenure.job):
            if job.priority < priority:
                self._tenure.interrupt(job)
            await job.left.wait()
        await self.stop()

    async def stop(self) -> None:
        """End the worker; whoever waits gets engine_unavailable."""
        if self._life is None:
            return
        life, self._life = self._life, None
        life.cancel()
        await asyncio.wait([life])
        self._state = "stopped"
        self._settled.set()
        self._waiting.end_all(EngineFailure("engine_unavailable", "the worker was stopped"))

    async def recycle(self) -> None:
        """Replace the worker once it is free; returns when the new one is ready or failed."""
        if self._life is None:
            return
        self._recycle_wanted = True
        self._settled.clear()
        self._wake.set()
        await self._settled.wait()

    async def ping(self, timeout_s: float) -> float:
        """Return the round trip in seconds through the loop that synthesizes.

        An idle worker that does not answer in time is killed and replaced.
        Raises EngineFailure: engine_unavailable, engine_timeout, engine_crashed.
        """
        if self._tenure is None or self._state != "ready":
            raise EngineFailure("engine_unavailable", f"the worker is {self._state}")
        return await self._tenure.ping(next(self._ids), timeout_s)

    async def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        """Yield (index, speech) as each is made; closing the iterator cancels the synthesis.

        ``deadline_s`` counts from the moment when the worker begins. ``preempt`` cuts a lower
        priority in hand, whose caller gets Cancelled. The worker does not wait for the caller
        between two sentences. Raises EngineFailure.
        """
        if self._state in ("stopped", "failed"):
            raise self._unavailable()
        job = Job(next(self._ids), requests, deadline_s, priority)
        self._enter(job, preempt)
        try:
            async for indexed in job.results():
                yield indexed
        finally:
            job.end()
            if self._tenure:
                self._tenure.interrupt(job)

    def _enter(self, job: Job, preempt: bool) -> None:
        current = self._tenure.job if self._tenure else None
        if preempt and self._tenure and current and current.priority < job.priority:
            self._tenure.interrupt(current)
        self._waiting.push(job)
        self._wake.set()

    def _unavailable(self) -> EngineFailure:
        if self.fault is None:
            return EngineFailure("engine_unavailable", f"the worker is {self._state}")
        return EngineFailure(self.fault.code, str(self.fault))

    async def _live(self) -> None:
        """Keep a worker for ever."""
        while True:
            try:
                await self._employ()
                self._state = "restarting"
                self.counters["recycles"] += 1
            except EngineFailure as failure:
                self._note(failure)
                backoff_s = self._backoff_s()
                self._next_start_at = self._clock() + backoff_s
                await asyncio.sleep(backoff_s)

    async def _employ(self) -> None:
        """Run one worker until it is to be recycled; raises EngineFailure when it is lost."""
        self._recycle_wanted = False
        self._acted_at = self._clock()
        self._next_start_at = None
        link = await Link.open(self._command)
        tenure = self._tenure = Tenure(link, self._settings, self._clock)
        try:
            ready = await tenure.load(self.voice, self._folder)
            facts = {"load_s": round(ready.load_s, 3), "rss_bytes": ready.rss_bytes}
            log.info("worker ready", extra={"voice": self.voice.name, "pid": link.pid, **facts})
            self._state, self.fault = "ready", None
            self._settled.set()
            await self._serve(tenure)
        except EngineFailure as failure:
            ending = await tenure.end()
            raise EngineFailure(failure.code, f"{failure} ({ending})") from failure
        finally:
            self._tenure = None
            await tenure.end()

    async def _serve(self, tenure: Tenure) -> None:
        """Give it jobs until it is to be recycled."""
        leaving = asyncio.create_task(self._wake_when_lost(tenure), name="worker lost")
        try:
            while not self._recycle_wanted:
                job = None if tenure.lost.is_set() else self._waiting.pop()
                if job is not None:
                    await tenure.speak(job)
                    self._failures = 0
                    self._recycle_wanted |= self._is_too_large(tenure)
                    continue
                tenure.check()
                self._wake.clear()
                await self._wake.wait()
        finally:
            leaving.cancel()

    async def _wake_when_lost(self, tenure: Tenure) -> None:
        await tenure.lost.wait()
        self._wake.set()

    def _is_too_large(self, tenure: Tenure) -> bool:
        limit_bytes = self._settings.recycle_above_bytes
        return limit_bytes is not None and self._rss_of(tenure.pid) > limit_bytes

    def _note(self, failure: EngineFailure) -> None:
        """Count the failure; after one that lasts, or three in a row, all who wait are let go."""
        if self._clock() - self._acted_at > _STEADY_S:
            self._failures = 0
        self._failures += 1
        self.fault = failure
        self.counters["timeouts" if failure.code == "engine_timeout" else "crashes"] += 1
        facts = {"voice": self.voice.name, "code": failure.code, "failures": self._failures}
        log.warning("worker lost: %s", failure, extra=facts)
        if self._failures < _FAILURES_IN_A_ROW and failure.code not in _LASTING:
            self._state = "restarting"
            return
        self._state = "failed"
        self._settled.set()
        self._waiting.end_all(self._unavailable())

    def _backoff_s(self) -> float:
        doubled = self._settings.backoff_first_s * 2.0 ** min(30, self._failures - 1)
        return min(doubled, self._settings.backoff_most_s) * random.uniform(0.5, 1.0)  # noqa: S311
