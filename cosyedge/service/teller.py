"""The teller: every event goes to the journal first, and from there to the broker, in order."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cosyedge.core.announcement import Announcement, Origin
from cosyedge.core.events import Event, EventType
from cosyedge.service.floods import Floods
from cosyedge.service.ports import Journal, JournalEntry, Outgoing

log = logging.getLogger(__name__)

Render = Callable[[Event, Announcement | None, Origin | None], Sequence[Outgoing]]

BATCH = 64
LOGGED = frozenset({EventType.ACCEPTED, EventType.REJECTED})


@dataclass(frozen=True, slots=True)
class Told:
    """An event on its way to the journal; ``is_row`` when it belongs to an accepted id."""

    event: Event
    messages: Sequence[Outgoing]
    is_row: bool


class Teller:
    """Writes events in the order in which they happened; one task, commits shared by batch.

    Its queue is bounded by what causes events: the backlog, and the rate of messages.
    """

    def __init__(self, journal: Journal, render: Render, *, on_written: Callable[[], None]) -> None:
        """``render`` gives the messages of an event; ``on_written`` wakes the outbox."""
        self._journal = journal
        self._render = render
        self._on_written = on_written
        self._floods = Floods()
        self._queue: asyncio.Queue[Told] = asyncio.Queue()

    def tell(
        self,
        event: Event,
        announcement: Announcement | None = None,
        origin: Origin | None = None,
    ) -> None:
        """Queue an event; returns at once. ``origin`` serves what was refused early."""
        is_row = announcement is not None and (event.is_end or event.type is EventType.STARTED)
        messages = self._render(event, announcement, origin)
        self._queue.put_nowait(Told(event, messages, is_row))
        if event.is_end or (event.type in LOGGED and not self._floods.count(event.reason)):
            _log(event, announcement)

    def end_unknown(self, event: Event) -> None:
        """Queue the end of an id whose announcement could not be made again."""
        self._queue.put_nowait(Told(event, self._render(event, None, None), is_row=True))
        _log(event, None)

    async def accept(self, entry: JournalEntry, event: Event, announcement: Announcement) -> None:
        """Commit an accepted row with its event; returns when both are safe."""
        await self._journal.accept(entry, self._render(event, announcement, None))
        self._on_written()
        _log(event, announcement)

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._write(await self._next_batch())
            self._floods.sum_up()

    async def _next_batch(self) -> list[Told]:
        """What is there, at least one; an empty one where a flood is to be summed up."""
        try:
            async with asyncio.timeout(self._floods.due_in_s()):
                batch = [await self._queue.get()]
        except TimeoutError:
            return []
        while len(batch) < BATCH and not self._queue.empty():
            batch.append(self._queue.get_nowait())
        return batch

    async def flush(self) -> None:
        """Write what is still queued; for the end, when ``run`` is over."""
        while not self._queue.empty():
            await self._write([self._queue.get_nowait()])

    async def _write(self, batch: Sequence[Told]) -> None:
        if not batch:
            return
        await asyncio.gather(*(self._row(told) for told in _joined(batch)))
        self._on_written()

    async def _row(self, told: Told) -> None:
        event = told.event
        if event.id is None or not told.is_row:
            await self._journal.tell(told.messages)
        elif event.is_end:
            await self._journal.end(event.id, event, told.messages)
        else:
            await self._journal.note(event.id, event.type.value, messages=told.messages)


def _joined(batch: Sequence[Told]) -> list[Told]:
    """A start whose end is in the same batch needs no commit of its own: they go together."""
    ends = {told.event.id for told in batch if told.is_row and told.event.is_end}
    begun: dict[str | None, Sequence[Outgoing]] = {}
    joined: list[Told] = []
    for told in batch:
        if told.is_row and not told.event.is_end and told.event.id in ends:
            begun[told.event.id] = told.messages
        elif told.is_row and told.event.id in begun:
            joined.append(Told(told.event, [*begun[told.event.id], *told.messages], is_row=True))
        else:
            joined.append(told)
    return joined


def _log(event: Event, announcement: Announcement | None) -> None:
    extra = {"COSYEDGE_ID": event.id or "", "COSYEDGE_EVENT": event.type.value}
    if event.reason is not None:
        extra["COSYEDGE_CODE"] = event.reason
    if announcement is not None:
        extra["COSYEDGE_CLASS"] = announcement.class_name
        extra["COSYEDGE_ZONE"] = ",".join(announcement.zones)
    level = logging.WARNING if event.type is EventType.FAILED else logging.INFO
    log.log(level, "announcement %s", event.type.value, extra=extra)
