"""Bulletins: an event as the MQTT messages that carry it."""

from collections.abc import Sequence

from cosyedge.core.announcement import Announcement, Origin
from cosyedge.core.events import Event
from cosyedge.service.ports import Clock, Outgoing
from cosyedge.wire.events import EventContext, encode_event
from cosyedge.wire.topics import Topics

#: Nobody wants yesterday's event after a long outage.
EXPIRY_S = 24 * 3600.0


class Bulletins:
    """Writes events for the event topic, and the last one for whoever asked for an answer."""

    def __init__(self, topics: Topics, clock: Clock, *, log_text: bool) -> None:
        self._topics = topics
        self._clock = clock
        self._log_text = log_text

    def write(
        self, event: Event, announcement: Announcement | None, origin: Origin | None = None
    ) -> Sequence[Outgoing]:
        """The messages of one event; ``origin`` is given for what was never an announcement."""
        payload = encode_event(event, self._context(announcement))
        messages = [
            Outgoing(
                self._topics.of("event"),
                payload,
                expiry_s=EXPIRY_S,
                content_type="application/json",
            )
        ]
        origin = announcement.origin if announcement else origin
        if origin is not None and origin.response_topic is not None and _is_last(event):
            messages.append(
                Outgoing(
                    origin.response_topic,
                    payload,
                    expiry_s=EXPIRY_S,
                    content_type="application/json",
                    correlation=origin.correlation,
                )
            )
        return messages

    def _context(self, announcement: Announcement | None) -> EventContext:
        if announcement is None:
            return EventContext(self._clock.wall())
        text = "".join(utterance.text for utterance in announcement.utterances)
        return EventContext(
            self._clock.wall(),
            class_name=announcement.class_name,
            source=announcement.origin.source,
            tags=announcement.origin.tags,
            text=text if self._log_text else None,
        )


def _is_last(event: Event) -> bool:
    return event.is_end or event.type.value in ("rejected", "duplicate", "coalesced")
