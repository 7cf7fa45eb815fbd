"""The intake: messages come off the broker's queue, batch by batch, and each gets an answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from cosyedge.core.announcement import Announcement, Origin
from cosyedge.core.errors import CosyedgeError, Refusal
from cosyedge.core.events import Event, EventType
from cosyedge.core.token_bucket import TokenBuckets
from cosyedge.service.composer import Composer
from cosyedge.service.door import Door, Draft
from cosyedge.service.ports import Clock, Message
from cosyedge.service.teller import Teller
from cosyedge.wire.json_reader import ReadingLimits
from cosyedge.wire.say import SayMessage, id_of, parse_say
from cosyedge.wire.topics import CommandTopic, Topics, check_response_topic

log = logging.getLogger(__name__)

BATCH = 64
#: A backlog is complete when nothing came for so long, and is not waited for longer than this.
BACKLOG_PAUSE_S = 0.3
BACKLOG_MOST_S = 3.0
RETRY_AFTER_S = 30
#: Batch after batch of refusals took 100 ms of the loop.
SLICE_S = 0.005

Command = Callable[[CommandTopic, Message], Awaitable[None]]


class Intake:
    """Sorts messages: announcements go to the door, commands to their handler.

    Announcements that came together share a commit; a command waits for those before it.
    """

    def __init__(
        self,
        topics: Topics,
        composer: Composer,
        door: Door,
        teller: Teller,
        clock: Clock,
        *,
        buckets: TokenBuckets,
        limits: ReadingLimits,
        command: Command,
        overloaded: Callable[[Announcement], Awaitable[bool]],
        outage_ended: Callable[[], bool] = lambda: False,
    ) -> None:
        """``overloaded`` says whether the box is too short of memory for an announcement;
        ``outage_ended`` is true once for each outage whose messages the broker kept."""
        self._topics = topics
        self._composer = composer
        self._door = door
        self._teller = teller
        self._clock = clock
        self._buckets = buckets
        self._limits = limits
        self._command = command
        self._overloaded = overloaded
        self._outage_ended = outage_ended
        self._held_since: float | None = None
        self.is_busy = False
        self.progressed_at = self._slice_began_at = clock.monotonic()

    async def run(self, messages: asyncio.Queue[Message]) -> None:
        """Handle messages until cancelled."""
        while True:
            batch = await self._next_batch(messages)
            if self._outage_ended():
                self._door.hold()
                self._held_since = self._clock.monotonic()
            self.is_busy = True
            await self.take(batch)
            self.is_busy = False
            if self._held_since is not None and self._backlog_is_complete(batch):
                self._held_since = None
                self._door.release()

    async def _next_batch(self, messages: asyncio.Queue[Message]) -> list[Message]:
        """What is there, at least one; an empty one where a backlog has run dry."""
        patience_s = None if self._held_since is None else BACKLOG_PAUSE_S
        try:
            async with asyncio.timeout(patience_s):
                batch = [await messages.get()]
        except TimeoutError:
            return []
        while len(batch) < BATCH and not messages.empty():
            batch.append(messages.get_nowait())
        return batch

    def _backlog_is_complete(self, batch: list[Message]) -> bool:
        waited_s = self._clock.monotonic() - (self._held_since or 0.0)
        return not batch or waited_s > BACKLOG_MOST_S

    async def take(self, batch: list[Message]) -> None:
        """Handle what came together, in order."""
        drafts: list[Draft] = []
        for message in batch:
            await self._let_others()
            try:
                topic = self._topics.parse(message.topic)
            except Refusal as refusal:
                self._reject(message, refusal, None)
                continue
            if topic is None:
                message.acknowledge()
            elif topic.name == "say":
                drafts += await self._draft(topic, message)
            else:
                await self._door.admit(drafts)
                drafts = []
                await self._obey(topic, message)
        await self._door.admit(drafts)

    async def _let_others(self) -> None:
        """Give the loop its turn after each slice of a flood, in which nothing else waits."""
        self.progressed_at = self._clock.monotonic()
        if self.progressed_at - self._slice_began_at > SLICE_S:
            await asyncio.sleep(0)
            self._slice_began_at = self._clock.monotonic()

    async def _draft(self, topic: CommandTopic, message: Message) -> list[Draft]:
        """The draft of a message, or none where it is refused."""
        named: str | None = None
        try:
            self._check(topic, message)
            say = parse_say(message.payload, self._limits)
            named = say.request.id
            announcement = await self._compose(say, topic, message)
        except Refusal as refusal:
            self._reject(message, refusal, named or id_of(message.payload, self._limits))
            return []
        except Exception:  # the boundary around one announcement
            log.exception("message not understood", extra={"COSYEDGE_ID": named or ""})
            self._reject(message, Refusal("internal", "a fault of cosyedge itself"), named)
            return []
        return [Draft(announcement, message)]

    def _check(self, topic: CommandTopic, message: Message) -> None:
        _check_not_retained(message)
        emergency = topic.class_name == "emergency"
        if not emergency and not self._buckets.take(message.topic, self._clock.monotonic()):
            raise Refusal("rate_limited", "too many messages on this topic")

    async def _compose(
        self, say: SayMessage, topic: CommandTopic, message: Message
    ) -> Announcement:
        if message.expiry_s is not None and message.expiry_s <= 0:
            raise Refusal("expired", "the message had expired")
        announcement = await self._composer.compose(say, topic, message)
        if await self._overloaded(announcement):
            raise Refusal("overloaded", f"short of memory: retry after {RETRY_AFTER_S} s")
        return announcement

    async def _obey(self, topic: CommandTopic, message: Message) -> None:
        try:
            _check_not_retained(message)
            await self._command(topic, message)
        except CosyedgeError as error:
            self._reject(message, error, None)
        except Exception:  # the boundary around one command
            log.exception("command failed", extra={"COSYEDGE_EVENT": topic.name})
            self._reject(message, Refusal("internal", "a fault of cosyedge itself"), None)
        else:
            message.acknowledge()

    def _reject(self, message: Message, error: CosyedgeError, named: str | None) -> None:
        details: dict[str, object] = {"message": str(error), "topic": message.topic}
        if error.field is not None:
            details["field"] = error.field
        if error.code == "overloaded":
            details["retry_after"] = RETRY_AFTER_S
        event = Event(EventType.REJECTED, named, error.code, details=details)
        self._teller.tell(event, None, self._answer_to(message))
        message.acknowledge()

    def _answer_to(self, message: Message) -> Origin | None:
        """Where the refusal also goes, if the message says so and it may."""
        if message.response_topic is None:
            return None
        try:
            check_response_topic(message.response_topic, self._topics.base)
        except Refusal:
            return None
        return Origin(response_topic=message.response_topic, correlation=message.correlation)


def _check_not_retained(message: Message) -> None:
    if message.retain:
        raise Refusal("retained", "commands must not be retained")
