"""The restart: what was open when the daemon ended is taken up again, or ends by policy."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from cosyedge.core.announcement import Announcement
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.errors import Refusal
from cosyedge.core.events import Event, EventType
from cosyedge.service.composer import Composer
from cosyedge.service.conductor import Conductor
from cosyedge.service.ports import Clock, JournalEntry, Message
from cosyedge.service.teller import Teller
from cosyedge.wire.json_reader import ReadingLimits
from cosyedge.wire.say import parse_say
from cosyedge.wire.topics import Topics

log = logging.getLogger(__name__)

OpenEntry = tuple[JournalEntry, str, int]
BEGUN = frozenset({"started", "playing", "interrupted"})


class Restart:
    """Gives every entry that the journal still has open its one end, or its place back."""

    def __init__(
        self,
        topics: Topics,
        composer: Composer,
        dispatcher: Dispatcher,
        conductor: Conductor,
        teller: Teller,
        clock: Clock,
    ) -> None:
        self._topics = topics
        self._composer = composer
        self._dispatcher = dispatcher
        self._conductor = conductor
        self._teller = teller
        self._clock = clock

    async def take_up(self, entries: Sequence[OpenEntry], *, on_crash: str) -> int:
        """Restore what waited; what played is dropped or replayed. Returns how many go on."""
        alive: list[Announcement] = []
        for entry, state, _ in entries:
            if state in BEGUN and on_crash == "drop":
                self._end(entry, "interrupted")
                continue
            try:
                alive.append(await self._recompose(entry))
            except Refusal as refusal:
                self._end(entry, refusal.code)
            except Exception:  # the boundary around one announcement: it must not stop the start
                log.exception("entry not understood", extra={"COSYEDGE_ID": entry.id})
                self._end(entry, "internal")
        for announcement in alive:
            self._conductor.remember(announcement)
        now = self._clock.monotonic()
        self._conductor.carry_out(self._dispatcher.restore(alive, now))
        return len(alive)

    async def _recompose(self, entry: JournalEntry) -> Announcement:
        """The announcement as its message asked for it, with the time that is left."""
        topic = self._topics.parse(entry.topic)
        if topic is None or topic.name != "say":
            raise Refusal("interrupted", "its message is no announcement")
        limits = ReadingLimits(payload_bytes=max(16_384, len(entry.payload)))
        say = parse_say(entry.payload, limits)
        message = Message(entry.topic, entry.payload, retain=False, qos=1)
        announcement = await self._composer.compose(say, topic, message)
        # The wall clock may have been stepped: what is left is never more than it was.
        left_s = min(entry.expires_at - self._clock.wall(), entry.expires_at - entry.received_at)
        if announcement.repetition.until_ack:
            # It sounds until somebody hears it: the outage does not end it.
            left_s = max(left_s, announcement.expires_at - self._clock.monotonic())
        expires_at = self._clock.monotonic() + left_s
        return replace(announcement, id=entry.id, expires_at=expires_at, content_key=None)

    def _end(self, entry: JournalEntry, reason: str) -> None:
        event = Event(EventType.FAILED, entry.id, reason, details={"restarted": True})
        self._teller.end_unknown(event)
