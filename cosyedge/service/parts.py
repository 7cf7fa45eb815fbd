"""The parts of one announcement in one voice: each is made once, the next one ahead."""

import asyncio
from collections.abc import Callable, Coroutine

from cosyedge.service.phrasebook import Found

Maker = Callable[[int], Coroutine[object, object, Found]]


class Parts:
    """Speech by part number, shared by all zones that hear the same voice.

    While part n plays, part n+1 is being made.
    """

    def __init__(self, name: str, count: int, make: Maker) -> None:
        """``make(n)`` gives part n or raises EngineFailure."""
        self._name = name
        self._count = count
        self._make = make
        self._tasks: dict[int, asyncio.Task[Found]] = {}

    async def part(self, number: int) -> Found:
        """Part ``number``; starts on the one after it. Raises EngineFailure."""
        task = self._begin(number)
        if task.done():
            # Cached parts cost nothing: look ahead at once.
            self._begin(number + 1)
            return task.result()
        await asyncio.wait({task})
        self._begin(number + 1)
        return task.result()

    def close(self) -> None:
        """Stop whatever is still being made."""
        for task in self._tasks.values():
            task.cancel()

    def _begin(self, number: int) -> asyncio.Task[Found]:
        if number not in self._tasks and number < self._count:
            name = f"part {number} of {self._name}"
            task = asyncio.create_task(self._make(number), name=name)
            task.add_done_callback(_retrieve)
            self._tasks[number] = task
        return self._tasks.get(number) or self._tasks[self._count - 1]


def _retrieve(task: asyncio.Task[Found]) -> None:
    if not task.cancelled():
        task.exception()  # whoever asks for the part is told; an unheard one is no news
