"""Commands on the queue: cancel, skip, pause, resume, replay, prefetch and set."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from cosyedge.core.announcement import Announcement
from cosyedge.core.decisions import Decision
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.errors import Refusal
from cosyedge.core.selectors import Selector
from cosyedge.service.conductor import Conductor
from cosyedge.service.door import Door, Draft
from cosyedge.service.live import LiveSettings
from cosyedge.service.ports import Clock, Message
from cosyedge.service.prerender import AGAIN_FIRST_S, TOGETHER, Prerenderer
from cosyedge.service.settings import Phrase, ServiceSettings
from cosyedge.service.templates import fillings, find
from cosyedge.wire import commands as wire
from cosyedge.wire.grants import GrantPolicy
from cosyedge.wire.json_reader import ReadingLimits, decode
from cosyedge.wire.topics import CommandTopic

log = logging.getLogger(__name__)

Handler = Callable[[CommandTopic, Message], Awaitable[None]]
#: Prefetching goes on behind the intake; more lists than this wait at the broker.
PREFETCHES = 16


@dataclass(frozen=True, slots=True)
class Stagehands:
    """Whom commands reach."""

    dispatcher: Dispatcher
    conductor: Conductor
    door: Door
    live: LiveSettings
    prerenderer: Prerenderer


class Commands:
    """Carries out one command at a time. Every handler raises Refusal for what it can't do."""

    def __init__(
        self,
        settings: ServiceSettings,
        hands: Stagehands,
        clock: Clock,
        *,
        grants: GrantPolicy,
        limits: ReadingLimits,
        new_id: Callable[[], str],
        on_setting: Callable[[str | None, str], None],
        request: Handler,
    ) -> None:
        """``on_setting(zone, name)`` hears of each change; ``request`` answers request/..."""
        self.settings = settings
        self._hands = hands
        self._clock = clock
        self._grants = grants
        self._limits = limits
        self._new_id = new_id
        self._on_setting = on_setting
        self._prefetches: asyncio.Queue[tuple[Phrase, bool]] = asyncio.Queue(PREFETCHES * 256)
        self._handlers: dict[str, Handler] = {
            "cancel": self._cancel,
            "skip": self._skip,
            "pause": self._pause,
            "resume": self._resume,
            "replay": self._replay,
            "prefetch": self._prefetch,
            "set": self._set,
            "chime": self._chime,
            "request": request,
        }

    async def __call__(self, topic: CommandTopic, message: Message) -> None:
        """Carry out one command."""
        handler = self._handlers.get(topic.name)
        if handler is not None:
            await handler(topic, message)

    async def run(self) -> None:
        """Make prefetched phrases, those that wait together, until cancelled.

        Where the engine fails, those behind them wait until it had time to recover.
        """
        while True:
            phrase, pin = await self._prefetches.get()
            phrases = {pin: [phrase], not pin: []}
            for _ in range(min(self._prefetches.qsize(), TOGETHER - 1)):
                phrase, pin = self._prefetches.get_nowait()
                phrases[pin].append(phrase)
            for pin, together in phrases.items():
                left = await self._hands.prerenderer.prefetch(together, pin=pin)
                if left:
                    await asyncio.sleep(AGAIN_FIRST_S)
                    await self._hands.prerenderer.prefetch(left, pin=pin)

    async def _cancel(self, topic: CommandTopic, message: Message) -> None:
        cancel = wire.parse_cancel(message.payload, self._limits)
        self._check_zone(cancel.zone)
        selector = Selector(cancel.id, cancel.class_name, cancel.zone)
        grant = self._grants.of(topic).most
        if cancel.id is not None:
            self._check_grant(cancel.id, grant)
        now = self._clock.monotonic()
        self._carry_out(self._hands.dispatcher.cancel(selector, grant, now))

    async def _skip(self, topic: CommandTopic, message: Message) -> None:
        zone = self._zone(message)
        grant = self._grants.of(topic).most
        self._carry_out(self._hands.dispatcher.skip(zone, self._clock.monotonic(), grant))

    async def _pause(self, _topic: CommandTopic, message: Message) -> None:
        zone = self._zone(message)
        self._carry_out(self._hands.dispatcher.pause(zone, self._clock.monotonic()))

    async def _resume(self, _topic: CommandTopic, message: Message) -> None:
        zone = self._zone(message)
        self._carry_out(self._hands.dispatcher.resume(zone, self._clock.monotonic()))

    async def _replay(self, topic: CommandTopic, message: Message) -> None:
        last = self._hands.conductor.last_heard(self._zone(message))
        if last is None:
            raise Refusal("invalid_value", "nothing was said there yet", field="zone")
        await self._hands.door.admit([Draft(self._again(last, topic), message)])

    def _again(self, last: Announcement, topic: CommandTopic) -> Announcement:
        now = self._clock.monotonic()
        most = self._grants.of(topic).most
        return replace(
            last,
            id=self._new_id(),
            replay_of=last.id,
            priority=min(last.priority, most),
            received_at=now,
            expires_at=now + self.settings.limits.ttl_s,
            content_key=None,
            coalesce_key=None,
        )

    async def _prefetch(self, _topic: CommandTopic, message: Message) -> None:
        prefetch = wire.parse_prefetch(message.payload, self._limits)
        texts = list(prefetch.texts)
        lang = prefetch.lang
        if prefetch.template is not None:
            lang, wording = find(self.settings.templates, prefetch.template, lang)
            texts += fillings(wording, prefetch.slots)
        try:
            for text in texts:
                self._prefetches.put_nowait((Phrase(text, lang, prefetch.voice), prefetch.pin))
        except asyncio.QueueFull:
            raise Refusal("queue_full", "too many phrases wait to be made") from None

    async def _set(self, topic: CommandTopic, message: Message) -> None:
        self._check_zone(topic.zone)
        payload = decode(message.payload, self._limits)
        self._hands.live.set(topic.zone, topic.argument or "", payload)
        self._on_setting(topic.zone, topic.argument or "")

    async def _chime(self, _topic: CommandTopic, message: Message) -> None:
        wire.parse_chime(message.payload, self._limits)
        raise Refusal("not_supported_yet", "chimes are not supported yet")

    def _zone(self, message: Message) -> str | None:
        zone = wire.parse_zone_command(message.payload, self._limits).zone
        self._check_zone(zone)
        return zone

    def _check_zone(self, zone: str | None) -> None:
        if zone is not None and zone not in self.settings.zones:
            raise Refusal("unknown_zone", f"no zone is called {zone!r}", field="zone")

    def _check_grant(self, id: str, grant: int) -> None:
        announcement = self._hands.dispatcher.find(id)
        if announcement is not None and announcement.priority > grant:
            raise Refusal("not_granted", "its class is above what this topic grants", field="id")

    def _carry_out(self, decisions: list[Decision]) -> None:
        self._hands.conductor.carry_out(decisions)
