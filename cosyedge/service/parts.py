"""The parts of one announcement in one voice: each is made once, the next one ahead."""

import asyncio
from collections.abc import Callable, Coroutine

from cosyedge.service.phrasebook import Found

Maker = Callable[[int], Coroutine[object, object, Found]]
Recall = Callable[[int], Found | None]


class Parts:
    """Speech by part number, shared by all zones that hear the same voice.

    While part n plays, part n+1 is being made.
    """

    def __init__(self, name: str, count: int, make: Maker, recall: Recall) -> None:
        """``make(n)`` gives part n or raises EngineFailure; ``recall(n)`` gives it only where
        it lies in memory, at once."""
        self._name = name
        self._count = count
        self._make = make
        self._recall = recall
        self._tasks: dict[int, asyncio.Task[Found]] = {}

    async def part(self, number: int) -> Found:
        """Part ``number``; starts on the one after it. Raises EngineFailure."""
        found = self._recall(number) if number not in self._tasks else None
        if found is None:
            task = self._begin(number)
            await asyncio.wait({task})
            found = task.result()
        self._look_ahead(number + 1)
        return found

    def close(self) -> None:
        """Stop whatever is still being made."""
        for task in self._tasks.values():
            task.cancel()

    def _look_ahead(self, number: int) -> None:
        if number < self._count and number not in self._tasks and self._recall(number) is None:
            self._begin(number)

    def _begin(self, number: int) -> asyncio.Task[Found]:
        task = self._tasks.get(number)
        if task is None:
            name = f"part {number} of {self._name}"
            task = self._tasks[number] = asyncio.create_task(self._make(number), name=name)
            task.add_done_callback(_retrieve)
        return task


def _retrieve(task: asyncio.Task[Found]) -> None:
    if not task.cancelled():
        task.exception()  # whoever asks for the part is told; an unheard one is no news
