"""The door: what was composed is journalled, acknowledged, accepted and handed over, in order."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cosyedge.core.announcement import CLASSES, Announcement
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import Event, EventType
from cosyedge.service.account import summarize
from cosyedge.service.conductor import Conductor
from cosyedge.service.ports import Clock, Journal, JournalEntry, Message
from cosyedge.service.teller import Teller


@dataclass(frozen=True, slots=True)
class Draft:
    """An announcement that is not accepted yet, with the message that asked for it."""

    announcement: Announcement
    message: Message


class Door:
    """Lets announcements in: the row first, then the PUBACK, then the queue.

    What the broker kept for us through an outage is held back until all of it is here, so that
    the most urgent are spoken and no more than ``burst_max``.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        conductor: Conductor,
        teller: Teller,
        journal: Journal,
        clock: Clock,
        *,
        minute: Callable[[], int],
    ) -> None:
        """``minute`` is the minute of the node's day, for quiet hours."""
        self._dispatcher = dispatcher
        self._conductor = conductor
        self._teller = teller
        self._journal = journal
        self._clock = clock
        self._minute = minute
        self._held: list[Announcement] | None = None

    async def admit(self, drafts: Sequence[Draft]) -> None:
        """Take in what came together; their rows share a commit."""
        taken = [draft for draft in drafts if self._consider(draft)]
        if len(taken) == 1:
            await self._write(taken[0])
        else:
            await asyncio.gather(*(self._write(draft) for draft in taken))
        minute = self._minute()
        for draft in taken:
            draft.message.acknowledge()
            if self._held is not None and draft.announcement.priority < CLASSES["urgent"]:
                self._conductor.remember(draft.announcement)
                self._held.append(draft.announcement)
                continue
            now = self._clock.monotonic()
            self._conductor.carry_out(self._dispatcher.admit(draft.announcement, now, minute))

    def hold(self) -> None:
        """Hold back what comes, but for urgent classes, until ``release``."""
        if self._held is None:
            self._held = []

    def release(self) -> None:
        """Let in what was held back: the most urgent of it, ``burst_max`` at most."""
        held, self._held = self._held, None
        if held:
            self._conductor.carry_out(self._dispatcher.restore(held, self._clock.monotonic()))

    def _consider(self, draft: Draft) -> bool:
        announcement = draft.announcement
        now = self._clock.monotonic()
        if self._journal.ended_within_a_day(announcement.id):
            self._refuse(draft, Event(EventType.DUPLICATE, announcement.id))
            return False
        told = self._dispatcher.consider(announcement, now)
        if told is None:
            return True
        details = {"class": announcement.class_name, **told.details}
        self._refuse(draft, Event(told.type, announcement.id, told.reason, {}, details))
        return False

    def _refuse(self, draft: Draft, event: Event) -> None:
        self._teller.tell(event, draft.announcement)
        draft.message.acknowledge()

    async def _write(self, draft: Draft) -> None:
        announcement = draft.announcement
        now, wall = self._clock.monotonic(), self._clock.wall()
        entry = JournalEntry(
            id=announcement.id,
            topic=draft.message.topic,
            payload=draft.message.payload,
            received_at=wall,
            expires_at=wall + announcement.expires_at - now,
            priority=announcement.priority,
            zones=announcement.zones,
        )
        details = summarize(announcement, (), now)
        event = Event(EventType.ACCEPTED, announcement.id, details=details)
        try:
            await self._teller.accept(entry, event, announcement)
        except BaseException:
            self._dispatcher.withdraw(announcement)
            raise
