"""The announcement as a sender writes it: plain text, or JSON with only its words required."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from cosyedge.core.announcement import (
    CacheUse,
    Interrupt,
    Rendering,
    Repetition,
    Resume,
    Routing,
    VoiceChoice,
)
from cosyedge.core.errors import Refusal
from cosyedge.wire.json_reader import ReadingLimits, decode, looks_like_json, read_object
from cosyedge.wire.models import (
    ID,
    Id,
    Label,
    PayloadModel,
    Word,
    ZoneName,
    unknown_keys,
    validate,
)

NOT_SUPPORTED_YET: Final = frozenset({"chime", "end_chime", "inline"})

Language = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}$")]
Text = Annotated[str, Field()]
ClassName = Literal["background", "low", "normal", "high", "urgent", "emergency"]
Format = Literal["wav", "flac", "mp3", "opus", "pcm"]
Factor = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Decibels = Annotated[str, Field(pattern=r"^[+-]\d{1,2}(\.\d{1,2})? ?dB$")]
SlotValue = str | int | float
_DECIBELS = re.compile(r"([+-][\d.]+) ?dB")


class SayRequest(PayloadModel):
    """An announcement. Needs text, texts, a template or media; all else is optional."""

    text: Text | None = Field(None, description="what to say")
    texts: dict[Language, Text] | None = Field(
        None, max_length=8, description="texts by language, spoken in this order as one"
    )
    template: Word | None = Field(None, description="a configured template's name")
    slots: dict[Word, SlotValue] = Field({}, max_length=16, description="values for the template")
    media: Word | None = Field(None, description="a recorded message or chime, by name")
    id: Id | None = Field(None, description="names it in events; made where missing")
    lang: Language | None = Field(None, description="auto, zh, en, yue, ja, ko, de, ...")
    voice: Word | None = Field(None, description="a voice of this node")
    speaker: Word | None = Field(None, description="a speaker of that voice")
    speed: float = Field(1.0, ge=0.5, le=2, description="1 is the voice's own")
    class_name: ClassName | None = Field(
        None, alias="class", description="capped by what the topic grants"
    )
    priority: int | None = Field(None, ge=0, le=255, description="wins over class; also capped")
    interrupt: Annotated[Interrupt, Field(strict=False)] = Field(
        Interrupt.LOWER, description="whom it may cut"
    )
    zone: ZoneName | Annotated[list[ZoneName], Field(min_length=1, max_length=64)] | None = Field(
        None, description="a name, a list of names, or all"
    )
    volume: Factor | Decibels | None = Field(
        None, description='a factor of the zone\'s volume, or a change such as "+3dB"'
    )
    chime: Word | None = Field(None, description="a chime before it, by name")
    end_chime: Word | None = Field(None, description="a chime after it, by name")
    repeat: int = Field(1, ge=1, le=10, description="how often it is said")
    repeat_interval: float = Field(
        0.0, ge=0, le=3600, description="seconds between two repetitions"
    )
    until_ack: bool = Field(False, description="repeats until request/ack names its id")
    max_duration: float | None = Field(None, gt=0, le=3600, description="seconds; then it is cut")
    ttl: float | None = Field(None, gt=0, le=86400, description="seconds it is worth saying")
    resume: Annotated[Resume, Field(strict=False)] = Field(
        Resume.SENTENCE, description="where it goes on after a cut"
    )
    routing: Annotated[Routing, Field(strict=False)] = Field(
        Routing.STACKED, description="how several zones are won"
    )
    coalesce_key: Label | None = Field(None, description="a newer one of this key replaces it")
    replace: bool = Field(True, description="false: the older one of its key stays")
    markup: Literal["none", "ssml"] = Field("none", description="how the text is to be read")
    inline: bool = Field(False, description="allows prefixes inside the text")
    cache: Annotated[CacheUse, Field(strict=False)] = Field(
        CacheUse.USE, description="how it uses the phrase cache"
    )
    format: Format | None = Field(None, description="of the audio over MQTT")
    rate: int | None = Field(None, ge=8000, le=48000, description="sample rate in Hz")
    chunk_bytes: int | None = Field(
        None, ge=1024, le=1048576, description="largest audio message in bytes"
    )
    reply_to: Annotated[str, Field(max_length=256)] | None = Field(
        None, description="where its last event also goes (MQTT 3.1.1)"
    )
    source: Label | None = Field(None, description="a label of the sender; no authority")
    tags: Annotated[list[Label], Field(max_length=16)] = Field([], description="labels")

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones named, each once; empty where the payload names none."""
        named = [self.zone] if isinstance(self.zone, str) else self.zone or []
        return tuple(dict.fromkeys(named))

    @property
    def volume_factor(self) -> float:
        """A factor of the zone's volume."""
        return self.volume if isinstance(self.volume, float | int) else 1.0

    @property
    def gain_db(self) -> float:
        """A change of the zone's volume in decibels."""
        found = _DECIBELS.fullmatch(self.volume) if isinstance(self.volume, str) else None
        return float(found[1]) if found else 0.0

    @property
    def voice_choice(self) -> VoiceChoice:
        """Who speaks."""
        return VoiceChoice(self.voice, self.speaker, self.speed, self.cache)

    @property
    def repetition(self) -> Repetition:
        """How often."""
        return Repetition(self.repeat, self.repeat_interval, self.until_ack)

    @property
    def rendering(self) -> Rendering:
        """How it sounds."""
        return Rendering(
            self.volume_factor,
            self.gain_db,
            self.chime,
            self.end_chime,
            self.format,
            self.rate,
            self.chunk_bytes,
        )


@dataclass(frozen=True, slots=True)
class SayMessage:
    """A request that was read, and the warnings its event will carry."""

    request: SayRequest
    warnings: tuple[str, ...] = ()


def parse_say(payload: bytes, limits: ReadingLimits) -> SayMessage:
    """Read an announcement; what does not begin with a brace is the text itself.

    Raises Refusal: too_large, invalid_utf8, not_json, duplicate_key, too_deep, wrong_type,
    invalid_value, empty_text. Control characters are left to the text door.
    """
    text = decode(payload, limits)
    if not looks_like_json(text):
        if not text.strip():
            raise Refusal("empty_text", "the payload is empty", field="text")
        return SayMessage(SayRequest(text=text))
    return _from_members(read_object(text, limits))


def id_of(payload: bytes, limits: ReadingLimits) -> str | None:
    """The id of a payload that was refused for another key; None where it cannot be read."""
    try:
        text = decode(payload, limits)
        members = read_object(text, limits) if looks_like_json(text) else {}
    except Refusal:
        return None
    named = members.get("id")
    return named if isinstance(named, str) and ID.fullmatch(named) else None


def _from_members(members: dict[str, Any]) -> SayMessage:
    if "text" in members and members["text"] is None:
        raise Refusal("wrong_type", "a string is expected", field="text")
    request = validate(SayRequest, members)
    words = [key for key in ("text", "texts", "template") if members.get(key) is not None]
    if len(words) > 1:
        raise Refusal("invalid_value", f"{' and '.join(words)} exclude each other", field=words[1])
    if not (request.text or request.texts or request.template or request.media):
        raise Refusal("empty_text", "text, texts, template or media is needed", field="text")
    idle = [f"not_supported_yet:{key}" for key in members if key in NOT_SUPPORTED_YET]
    return SayMessage(request, (*unknown_keys(SayRequest, members), *idle))
