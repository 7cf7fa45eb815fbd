"""The payloads of all commands but say: each a small frozen type."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from cosyedge.core.errors import Refusal
from cosyedge.wire.json_reader import ReadingLimits, decode, looks_like_json, read, read_object
from cosyedge.wire.models import ID, Id, PayloadModel, Word, ZoneName, validate
from cosyedge.wire.say import ClassName, Language, SlotValue, Text

REQUESTS: Final[dict[str, str]] = {
    "ping": "answers at once",
    "info": "the content of the info topic",
    "voices": "the voices and their state",
    "queue": "what waits and what plays",
    "cache_stats": "counters of the phrase cache",
    "cache_clear": "drops cached phrases; pinned ones only with pinned",
    "clear": "ends all that waits, or only of a zone or class",
    "ack": "acknowledges the announcement of this id",
    "faults": "faults that are latched",
    "fault_ack": "acknowledges a fault by its id",
    "selftest": "speaks into nothing and tells how long it took",
    "phrases": "the pinned phrases, and those not rendered yet",
    "reload": "reads the configuration again",
}


class Cancel(PayloadModel):
    """What to cancel: an id, a zone or a class; or the word all, or a bare id."""

    id: Id | None = Field(None, description="one announcement")
    zone: ZoneName | None = Field(None, description="all of a zone")
    class_name: ClassName | None = Field(None, alias="class", description="all of a class")
    all: bool = Field(False, description="everything that the topic's grant covers")


class ZoneCommand(PayloadModel):
    """skip, pause, resume, replay: all zones, or one; a bare name is a zone."""

    zone: ZoneName | None = Field(None, description="this zone alone")


class Prefetch(PayloadModel):
    """Texts to synthesize into the cache; a bare list is its texts."""

    texts: Annotated[list[Text], Field(max_length=256)] = Field([], description="the texts")
    pin: bool = Field(False, description="never evict them")
    lang: Language | None = Field(None, description="their language")
    voice: Word | None = Field(None, description="their voice")
    template: Word | None = Field(None, description="or a template, filled over all slots")
    slots: dict[Word, Annotated[list[SlotValue], Field(max_length=256)]] = Field(
        {}, max_length=4, description="values of each slot"
    )


class Chime(PayloadModel):
    """Home Assistant's siren; ON and OFF alone will do."""

    state: Literal["ON", "OFF"] = Field("ON", description="OFF ends it")
    tone: Word | None = Field(None, description="a chime's name")
    duration: float | None = Field(None, gt=0, le=600, description="seconds")
    volume_level: float | None = Field(None, ge=0, le=1, description="a factor")


class Request(PayloadModel):
    """zigbee2mqtt's form; what each command takes is optional here and checked there."""

    transaction: str | int | None = Field(None, description="comes back in the answer")
    id: Id | None = Field(None, description="for ack and fault_ack")
    zone: ZoneName | None = Field(None, description="for clear")
    class_name: ClassName | None = Field(None, alias="class", description="for clear")
    pinned: bool = Field(False, description="for cache_clear: pinned phrases too")


def parse_cancel(payload: bytes, limits: ReadingLimits) -> Cancel:
    """Raises Refusal, also where nothing is named."""
    text = decode(payload, limits).strip()
    if text == "all":
        return Cancel(all=True)
    if ID.fullmatch(text):
        return Cancel(id=text)
    cancel = validate(Cancel, read_object(text, limits)) if text else Cancel()
    if not (cancel.id or cancel.zone or cancel.class_name or cancel.all):
        raise Refusal("invalid_value", "id, zone, class or all is needed", field="id")
    return cancel


def parse_zone_command(payload: bytes, limits: ReadingLimits) -> ZoneCommand:
    """Raises Refusal."""
    text = decode(payload, limits).strip()
    if looks_like_json(text):
        return validate(ZoneCommand, read_object(text, limits))
    return validate(ZoneCommand, {"zone": text} if text else {})


def parse_prefetch(payload: bytes, limits: ReadingLimits) -> Prefetch:
    """Raises Refusal, also where there is nothing to fetch."""
    value = read(decode(payload, limits), limits)
    members: Any = {"texts": value} if isinstance(value, list) else value
    if not isinstance(members, dict):
        raise Refusal("wrong_type", "a list of texts or an object is expected", field="texts")
    prefetch = validate(Prefetch, members)
    if not (prefetch.texts or prefetch.template):
        raise Refusal("empty_text", "texts or a template is needed", field="texts")
    return prefetch


def parse_chime(payload: bytes, limits: ReadingLimits) -> Chime:
    """Raises Refusal."""
    text = decode(payload, limits).strip()
    if looks_like_json(text):
        return validate(Chime, read_object(text, limits))
    return validate(Chime, {"state": text} if text else {})


def parse_request(payload: bytes, limits: ReadingLimits) -> Request:
    """Raises Refusal. An empty payload is a request without a transaction."""
    text = decode(payload, limits).strip()
    return validate(Request, read_object(text, limits) if text else {})
