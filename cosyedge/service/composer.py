"""The composer: a say message becomes an Announcement, or is refused with a code."""

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from cosyedge.core.announcement import CLASSES, Announcement, Origin, VoiceChoice
from cosyedge.core.errors import Refusal
from cosyedge.core.voice import Voice
from cosyedge.service.live import LiveSettings
from cosyedge.service.ports import Clock, Message
from cosyedge.service.reader import Reader
from cosyedge.service.settings import ServiceSettings
from cosyedge.service.templates import fill, find
from cosyedge.text import Reading
from cosyedge.wire.grants import GrantPolicy, decide_priority
from cosyedge.wire.say import SayMessage, SayRequest
from cosyedge.wire.topics import CommandTopic, check_response_topic

Choice = TypeVar("Choice")


class Composer:
    """Turns requests into announcements by the node's settings."""

    def __init__(
        self,
        settings: ServiceSettings,
        reader: Reader,
        live: LiveSettings,
        clock: Clock,
        *,
        grants: GrantPolicy,
        media: Callable[[], Collection[str]],
        new_id: Callable[[], str],
    ) -> None:
        """``media`` lists the recorded messages; ``new_id`` mints an id."""
        self.settings = settings
        self.reader = reader
        self._live = live
        self._clock = clock
        self.grants = grants
        self._media = media
        self._new_id = new_id

    async def compose(self, say: SayMessage, topic: CommandTopic, message: Message) -> Announcement:
        """Make the announcement. Raises Refusal."""
        request = say.request
        now = self._clock.monotonic()
        grant = self.grants.of(topic)
        priority, capped = decide_priority(
            grant, priority=request.priority, class_name=request.class_name
        )
        zones = self._zones(request, topic)
        voice = self._voice(request, zones[0])
        readings = await self._readings(request, zones[0], voice)
        return Announcement(
            id=request.id or self._new_id(),
            priority=priority,
            zones=zones,
            utterances=tuple(sentence for each in readings for sentence in each.utterances),
            received_at=now,
            expires_at=now + self._time_to_live_s(request, message, priority),
            repetition=request.repetition,
            max_duration_s=request.max_duration,
            coalesce_key=request.coalesce_key,
            replace=request.replace,
            content_key=None if request.id else _content_key(request, zones, priority),
            size_bytes=len(message.payload),
            media=self._recording(request),
            voice=self._choice(request, voice),
            rendering=request.rendering,
            origin=self._origin(request, message, grant.most),
            capped_by=("grant",) if capped else (),
            warnings=(*say.warnings, *(code for each in readings for code in each.warnings)),
            debug=self._debug(readings),
            interrupt=_said(request, "interrupt", self.settings.policy.interrupt),
            resume=_said(request, "resume", self.settings.policy.resume),
            routing=_said(request, "routing", self.settings.policy.routing),
        )

    def _zones(self, request: SayRequest, topic: CommandTopic) -> tuple[str, ...]:
        """The topic's zone binds: an ACL may rest on it."""
        if topic.zone is not None:
            if request.zones and request.zones != (topic.zone,):
                raise Refusal("not_granted", "the topic is for another zone", field="zone")
            return (topic.zone,)
        if request.zones:
            return request.zones
        return (self.settings.node.default_zone,)

    def _voice(self, request: SayRequest, zone: str) -> Voice | None:
        settings = self.settings.zones.get(zone)
        name = (
            request.voice
            or self._live.own(zone, "voice")
            or (settings.voice if settings else None)
            or self._live.own(None, "voice")
        )
        voice = self.reader.voice(name)
        if request.speaker is not None and (voice is None or request.speaker not in voice.speakers):
            raise Refusal("unknown_voice", "the voice has no such speaker", field="speaker")
        return voice

    def _choice(self, request: SayRequest, voice: Voice | None) -> VoiceChoice:
        return replace(
            request.voice_choice,
            voice=voice.name if voice else request.voice,
            speed=_said(request, "speed", self.settings.node.speed),
        )

    def _debug(self, readings: Sequence[Reading]) -> tuple[str, ...]:
        """How the texts were rewritten: it holds words of theirs, so only if these are logged."""
        if not self.settings.node.log_text:
            return ()
        return tuple(str(rewrite) for reading in readings for rewrite in reading.rewrites)

    async def _readings(self, request: SayRequest, zone: str, voice: Voice | None) -> list[Reading]:
        settings = self.settings.zones.get(zone)
        lang = request.lang or (settings.lang if settings else None)
        texts = [(lang, request.text)] if request.text else []
        if request.texts:
            texts = list(request.texts.items())
        elif request.template:
            lang, wording = find(self.settings.templates, request.template, lang)
            texts = [(lang, fill(wording, request.slots))]
        markup = _said(request, "markup", self.reader.options.markup)
        name = voice.name if voice else None
        return [
            await self.reader.read(text or "", lang=lang, voice=name, markup=markup)
            for lang, text in texts
        ]

    def _recording(self, request: SayRequest) -> str | None:
        if request.media is not None and request.media not in self._media():
            raise Refusal(
                "unknown_media", f"no recording is called {request.media!r}", field="media"
            )
        return request.media

    def _time_to_live_s(self, request: SayRequest, message: Message, priority: int) -> float:
        limits = self.settings.limits
        emergency = priority >= CLASSES["emergency"]
        own_s = request.ttl or (limits.emergency_ttl_s if emergency else limits.ttl_s)
        own_s = min(own_s, limits.ttl_max_s)
        return own_s if message.expiry_s is None else min(own_s, message.expiry_s)

    def _origin(self, request: SayRequest, message: Message, grant: int) -> Origin:
        answer_to = message.response_topic or request.reply_to
        if answer_to is not None:
            check_response_topic(answer_to, self.settings.node.base)
        return Origin(
            topic=message.topic,
            grant=grant,
            response_topic=answer_to,
            correlation=message.correlation,
            source=request.source,
            tags=tuple(request.tags),
        )


def _said(request: SayRequest, name: str, otherwise: Choice) -> Choice:
    """What the message says of cutting or routing, else what the node's policy says."""
    said: Choice = getattr(request, name)
    return said if name in request.model_fields_set else otherwise


def _content_key(request: SayRequest, zones: tuple[str, ...], priority: int) -> str:
    """Equal for what a listener would hear twice."""
    heard = (request.text, request.texts, request.template, request.slots, request.media)
    voiced = (request.lang, request.voice, request.speaker, request.speed, zones, priority)
    return hashlib.sha256(repr((heard, voiced)).encode("utf-8", "surrogatepass")).hexdigest()
