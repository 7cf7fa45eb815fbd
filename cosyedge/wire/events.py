"""Events as they leave: one JSON object with ``event_type``, as Home Assistant reads it."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from cosyedge.core.events import Event, EventType
from cosyedge.wire.models import PayloadModel


class ZoneOutcome(PayloadModel):
    """How it ended in one zone."""

    result: EventType = Field(description="an event type")
    reason: str | None = Field(None, description="a stable code")


class Timings(PayloadModel):
    """Milliseconds."""

    queue_ms: float | None = Field(None, description="accepted until taken from the queue")
    synth_ms: float | None = Field(None, description="time the engine took")
    first_audio_ms: float | None = Field(None, description="accepted until the first sample")
    play_ms: float | None = Field(None, description="first sample until the end")


class Audio(PayloadModel):
    """What was heard."""

    duration_ms: float | None = Field(None, description="length of all clips")
    rate: int | None = Field(None, description="sample rate in Hz")
    lufs: float | None = Field(None, description="loudness")
    peak_dbtp: float | None = Field(None, description="true peak")


class EventMessage(PayloadModel):
    """An event. Further keys may come; the announcement's text only if log.text is on."""

    event_type: EventType = Field(description="what happened")
    id: str | None = Field(description="the announcement's id, or the fault's name")
    ts: str = Field(description="when, in UTC, ISO 8601 with milliseconds")
    class_name: str | None = Field(None, alias="class", description="its class")
    zones: dict[str, ZoneOutcome] = Field({}, description="the result of each zone")
    reason: str | None = Field(None, description="a stable code")
    message: str | None = Field(None, description="the same for people")
    field: str | None = Field(None, description="the key at fault")
    topic: str | None = Field(None, description="the topic of a refused command")
    retry_after: float | None = Field(None, description="seconds to wait, where it is overloaded")
    cached: bool | None = Field(None, description="whether all of it came from the cache")
    degraded: str | None = Field(
        None, description="what took over: fallback_voice, fallback_output, attention_tone"
    )
    degraded_reason: str | None = Field(None, description="why, a stable code")
    part: int | None = Field(None, description="the sentence that it was cut at, from 0")
    rounds: int | None = Field(None, description="how often it was said, if it repeats")
    acknowledged: bool | None = Field(None, description="until_ack: whether request/ack came")
    restarted: bool | None = Field(None, description="whether a restart ended it")
    capped_by: list[str] = Field([], description="what held it down: grant, quiet_hours, ...")
    warnings: list[str] = Field([], description="codes, with the key behind a colon")
    debug: list[str] = Field([], description="how the text was rewritten; only if log.text is on")
    timings: Timings | None = Field(None, description="how long it took")
    audio: Audio | None = Field(None, description="what was heard")
    replay_of: str | None = Field(None, description="the id that it repeats")
    into: str | None = Field(None, description="the id that it was coalesced into")
    url: str | None = Field(None, description="its clip at the HTTP door")
    source: str | None = Field(None, description="the sender's label")
    tags: list[str] = Field([], description="the sender's labels")
    text: str | None = Field(None, description="only if log.text is on")


@dataclass(frozen=True, slots=True)
class EventContext:
    """What an event says beside its fact; ``wall_s`` is seconds since 1970."""

    wall_s: float
    class_name: str | None = None
    source: str | None = None
    tags: tuple[str, ...] = ()
    text: str | None = None


def encode_event(event: Event, context: EventContext) -> bytes:
    """One JSON object in ASCII, so that no terminal is ever handed a control character.

    Keys that hold nothing are left out. Raises ValueError for a detail that is NaN.
    """
    members: dict[str, Any] = {
        "event_type": event.type.value,
        "id": event.id,
        "ts": timestamp(context.wall_s),
        "class": context.class_name,
        "zones": {
            zone: {"result": result.outcome.value}
            | ({"reason": result.reason} if result.reason else {})
            for zone, result in event.zones.items()
        },
        "reason": event.reason,
        "source": context.source,
        "tags": context.tags,
        "text": context.text,
    }
    kept = {
        key: value
        for key, value in (members | dict(event.details)).items()
        if key in ("event_type", "id") or (value is not None and value not in ((), {}, []))
    }
    return json.dumps(kept, separators=(",", ":"), allow_nan=False).encode()


def timestamp(wall_s: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC: 2026-12-02T04:00:00.123Z."""
    moment = datetime.fromtimestamp(wall_s, UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
