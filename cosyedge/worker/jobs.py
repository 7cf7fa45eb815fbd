"""Syntheses that wait for a worker, and the one that has it."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from cosyedge.core.errors import EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.worker.messages import Answer


class Interrupt:
    """Put into a job's inbox: its caller went, or a higher class wants the worker."""


class Lost:
    """Put into a job's inbox: the worker is gone."""


News: TypeAlias = Answer | Interrupt | Lost


class Job:
    """One call of synthesize: its requests, what the worker says, what its caller gets.

    ``over``: its caller was let go. ``left``: the worker is done with it.
    """

    def __init__(
        self, id: int, requests: Sequence[SpeechRequest], deadline_s: float, priority: int
    ) -> None:
        self.id = id
        self.requests = tuple(requests)
        self.deadline_s = deadline_s
        self.priority = priority
        self.inbox: asyncio.Queue[News] = asyncio.Queue()
        self.over = False
        self.left = asyncio.Event()
        self._results: asyncio.Queue[tuple[int, Speech] | EngineFailure | None] = asyncio.Queue()
        self._announced: set[int] = set()

    def expects(self, index: int) -> bool:
        """Whether ``index`` is one of the requests and was not announced before."""
        if index >= len(self.requests) or index in self._announced:
            return False
        self._announced.add(index)
        return True

    @property
    def complete(self) -> bool:
        """Whether every request was announced."""
        return len(self._announced) == len(self.requests)

    def give(self, index: int, speech: Speech) -> None:
        """Hand one request's speech to the caller."""
        self._results.put_nowait((index, speech))

    def end(self, failure: EngineFailure | None = None) -> None:
        """Let the caller go, with a failure or without; only the first end counts."""
        if not self.over:
            self.over = True
            self._results.put_nowait(failure)

    async def results(self) -> AsyncIterator[tuple[int, Speech]]:
        """Yield what was given until the end; raises the failure."""
        while (result := await self._results.get()) is not None:
            if isinstance(result, EngineFailure):
                raise result
            yield result


class WaitingJobs:
    """The jobs that wait: a higher priority first, else in their order."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Job]] = []
        self._order = itertools.count()

    def __len__(self) -> int:
        return sum(not job.over for _, _, job in self._heap)

    def push(self, job: Job) -> None:
        """Let the job wait."""
        heapq.heappush(self._heap, (-job.priority, next(self._order), job))

    def pop(self) -> Job | None:
        """Take the next job that still has a caller."""
        while self._heap:
            _, _, job = heapq.heappop(self._heap)
            if not job.over:
                return job
        return None

    def end_all(self, failure: EngineFailure) -> None:
        """Let all callers go with ``failure``."""
        while job := self.pop():
            job.end(failure)
