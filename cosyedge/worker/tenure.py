"""One worker process from its load to its end: it gets jobs, and their deadlines are kept.

A job that is cut (its caller went, a higher class came, its deadline passed) gets a cancel frame.
A worker that does not end the job within the grace after it is of no more use.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.shaping import check_audio
from cosyedge.core.speech import Speech
from cosyedge.core.voice import Voice
from cosyedge.worker.frames import FrameError
from cosyedge.worker.jobs import Interrupt, Job, Lost, News
from cosyedge.worker.link import Link
from cosyedge.worker.messages import (
    Answer,
    Cancel,
    Done,
    Failed,
    Load,
    Ping,
    Pong,
    Ready,
    Speak,
    Spoken,
)
from cosyedge.worker.settings import WorkerSettings


class Tenure:
    """A worker in office. Its methods raise EngineFailure once it has to be replaced."""

    def __init__(self, link: Link, settings: WorkerSettings, clock: Callable[[], float]) -> None:
        self.pid = link.pid
        self.job: Job | None = None
        self._ends_at = 0.0
        self._cutting = False
        self._loaded = False
        self.progressed_at = clock()
        self.lost = asyncio.Event()
        self._link = link
        self._settings = settings
        self._clock = clock
        self._loading: asyncio.Queue[News] = asyncio.Queue()
        self._pings: dict[int, asyncio.Future[None]] = {}
        self._complaint = EngineFailure("engine_crashed", "the worker died")
        self._reading = asyncio.create_task(self._read(), name=f"worker {link.pid} answers")

    @property
    def deadline_at(self) -> float | None:
        """When the load or the job in hand is ended, by the clock; None while it is idle."""
        return self._ends_at if self.job or not self._loaded else None

    async def load(self, voice: Voice, folder: Path) -> Ready:
        """Load the voice; raises EngineFailure: model_missing, model_invalid, engine_timeout."""
        try:
            self._link.send(Load(voice, str(folder), self._settings.for_engine()))
        except FrameError as error:
            raise EngineFailure("model_invalid", f"the manifest: {error}") from error
        self._ends_at = self._clock() + self._settings.load_deadline_s
        try:
            async with asyncio.timeout(self._settings.load_deadline_s):
                news = await self._loading.get()
        except TimeoutError as error:
            self._link.kill()
            raise EngineFailure("engine_timeout", "the voice was not loaded in time") from error
        match news:
            case Ready():
                return news
            case Failed(_, code, message):
                raise EngineFailure(code, message)
        raise self._loss()

    async def speak(self, job: Job) -> None:
        """Carry out the job; returns when the worker is free again.

        The job's own failure goes to its caller alone. Raises EngineFailure if the worker is
        lost, or so stuck that it does not hear its cancel.
        """
        self.job, self._cutting = job, False
        self._ends_at = self._clock() + job.deadline_s
        try:
            self._link.send(Speak(job.id, job.requests))
            while await self._follow(job):
                pass
        except FrameError as error:
            job.end(EngineFailure("engine_error", f"the request cannot be sent: {error}"))
        finally:
            job.end(EngineFailure("engine_unavailable", "the worker was stopped"))
            self.job = None
            job.left.set()

    async def _follow(self, job: Job) -> bool:
        """Take one piece of news about the job; returns whether there is more to come."""
        try:
            async with asyncio.timeout(max(0.0, self._ends_at - self._clock())):
                news = await job.inbox.get()
        except TimeoutError as error:
            if self._cutting:
                self._link.kill()
                raise EngineFailure("engine_timeout", "the worker ignored its cancel") from error
            self._cut(job, EngineFailure("engine_timeout", "the synthesis missed its deadline"))
            return True
        match news:
            case Spoken():
                self._hand_over(job, news)
            case Done():
                job.end(None if job.complete else EngineFailure("bad_audio", "speech is missing"))
                return False
            case Failed(_, code, message):
                job.end(EngineFailure(code, message))
                return False
            case Interrupt() if not self._cutting:
                self._cut(job, Cancelled())
            case Lost():
                job.end(self._loss())
                raise self._loss()
        return True

    def _hand_over(self, job: Job, spoken: Spoken) -> None:
        if job.over:
            return
        request = job.requests[spoken.index]
        chars = max(len(request.spoken), len(request.phonemes or ""))
        flaw = check_audio(spoken.samples, spoken.rate_hz, chars)
        if flaw is not None:
            self._cut(job, EngineFailure("bad_audio", f"the engine's audio is {flaw}"))
            return
        samples = np.clip(spoken.samples, -1.0, 1.0)
        job.give(spoken.index, Speech(samples, spoken.rate_hz, spoken.remarks))

    def _cut(self, job: Job, failure: EngineFailure) -> None:
        """Let the caller go now, and give the worker its grace to end the run."""
        job.end(failure)
        self._cutting = True
        self._link.send(Cancel(job.id))
        self._ends_at = self._clock() + self._settings.cancel_grace_s

    def interrupt(self, job: Job) -> None:
        """Cut the job, if it is the one in hand."""
        if job is self.job:
            job.inbox.put_nowait(Interrupt())

    async def ping(self, id: int, timeout_s: float) -> float:
        """Return the round trip in seconds through the loop that synthesizes.

        A worker in the middle of a job answers after it. An idle one that does not answer in
        time is killed. Raises EngineFailure: engine_timeout, engine_crashed.
        """
        asked_at = self._clock()
        was_idle = self.job is None
        self._pings[id] = answered = asyncio.get_running_loop().create_future()
        self._link.send(Ping(id))
        try:
            async with asyncio.timeout(timeout_s):
                await answered
        except TimeoutError as error:
            failure = EngineFailure("engine_timeout", "the worker did not answer a ping")
            if was_idle and self.job is None:
                self._give_up(failure)
            raise failure from error
        return self._clock() - asked_at

    def check(self) -> None:
        """Raise EngineFailure if the worker is lost."""
        if self.lost.is_set():
            raise self._loss()

    async def end(self) -> str:
        """End the process and return how it ended."""
        how = await self._link.close()
        self._reading.cancel()
        return how

    async def _read(self) -> None:
        try:
            async for answer in self._link.answers():
                self.progressed_at = self._clock()
                self._route(answer)
        except FrameError as error:
            self._give_up(EngineFailure("engine_crashed", f"the worker spoke nonsense: {error}"))
        finally:
            self._tell_loss()

    def _route(self, answer: Answer) -> None:
        """Hand the answer to who waits for it; raises FrameError where nobody does."""
        job = self.job
        match answer:
            case Pong(id) if id in self._pings:
                # Done already, where the asker did not wait so long.
                if not (answered := self._pings.pop(id)).done():
                    answered.set_result(None)
            case Ready() | Failed(id=0) if not self._loaded:
                self._loaded = True
                self._loading.put_nowait(answer)
            case Spoken(id, index) if job and job.id == id and job.expects(index):
                job.inbox.put_nowait(answer)
            case Done(id) | Failed(id) if job and job.id == id:
                job.inbox.put_nowait(answer)
            case _:
                raise FrameError("nobody asked")

    def _tell_loss(self) -> None:
        self.lost.set()
        self._loading.put_nowait(Lost())
        if self.job:
            self.job.inbox.put_nowait(Lost())
        for answered in self._pings.values():
            if not answered.done():
                answered.set_exception(self._loss())

    def _give_up(self, complaint: EngineFailure) -> None:
        """Kill the worker; it gets no job from here on."""
        self._complaint = complaint
        self._link.kill()
        self.lost.set()

    def _loss(self) -> EngineFailure:
        return EngineFailure(self._complaint.code, str(self._complaint))
