"""The handover: what is cut for a higher one sounds on until the higher one can sound.

The higher one's first part is made while the lower one still plays or fades, so that a slow
engine leaves no hole of silence between them.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from cosyedge.core.announcement import Announcement

#: The lower one is cut at the latest by then, ready or not.
MOST_S = 20.0

Heir = tuple[Announcement, int]


class Preparing(Protocol):
    """Makes parts ahead of the Start that wants them."""

    async def prepare(self, announcement: Announcement, number: int) -> None:
        """Make a part ready; returns when it is, or can't be."""

    def is_soon(self, announcement: Announcement, number: int) -> bool:
        """Whether the part is expected before a fade begun now would end."""

    def forget(self, id: str) -> None:
        """Drop what was prepared."""


class Handover:
    """Waits for heirs; a newer and higher one takes the place of the first."""

    def __init__(self, heir: Callable[[str, str], Heir | None], preparing: Preparing) -> None:
        """``heir(id, zone)`` is what ``id`` is being cut for, with the part it begins at; None
        where it is to fall silent at once."""
        self._heir = heir
        self._preparing = preparing
        self._news: set[asyncio.Event] = set()
        self._ahead: set[asyncio.Task[None]] = set()

    def look_again(self) -> None:
        """Say that the queue is not what it was."""
        for news in self._news:
            news.set()

    def forget(self, id: str) -> None:
        """Hear that an announcement has ended."""
        self._preparing.forget(id)

    async def wait(self, id: str, zone: str) -> None:
        """Return when the fade of ``id`` in ``zone`` is to begin."""
        news = asyncio.Event()
        self._news.add(news)
        try:
            async with asyncio.timeout(MOST_S):
                while (heir := self._heir(id, zone)) is not None:
                    if await self._is_ready(*heir, news):
                        return
        except TimeoutError:
            return
        finally:
            self._news.discard(news)

    async def _is_ready(self, announcement: Announcement, number: int, news: asyncio.Event) -> bool:
        """Wait for the part; False when there is news first."""
        news.clear()
        making = asyncio.create_task(
            self._preparing.prepare(announcement, number), name=f"prepare {announcement.id}"
        )
        self._ahead.add(making)
        making.add_done_callback(self._ahead.discard)
        if self._preparing.is_soon(announcement, number):
            return True
        told = asyncio.create_task(news.wait(), name=f"news for {announcement.id}")
        try:
            await asyncio.wait({making, told}, return_when=asyncio.FIRST_COMPLETED)
            return making.done()
        finally:
            told.cancel()
            making.cancel()
