"""[zones.NAME] and [groups]: where announcements sound, and how loud."""

from datetime import time
from typing import Self

from pydantic import Field, model_validator

from cosyedge.config.base import ClassName, Language, Name, Number, Section, VoiceName


class QuietHoursSettings(Section):
    """A span of every day, also over midnight; emergency ignores it."""

    start: time = Field(description="Begin, as HH:MM in the node's time zone.", examples=["22:00"])
    end: time = Field(description="End, as HH:MM.", examples=["06:30"])
    below: ClassName = Field("urgent", description="Classes below this one are quiet.")
    volume: Number = Field(
        0.0, ge=0, le=1, description="Highest volume meanwhile; 0 suppresses the announcement."
    )


class HookSettings(Section):
    """One command or one MQTT message around speech; it can't silence an announcement."""

    argv: tuple[str, ...] = Field(
        (), description="A command, as a list; no shell.", examples=[["/usr/bin/true"]]
    )
    topic: str | None = Field(
        None, pattern=r"^[^+#$\x00][^+#\x00]*$", description="Or a topic to publish to."
    )
    payload: str = Field("", max_length=4096, description="What is published.")
    deadline_s: Number = Field(2.0, gt=0, le=60, description="It is given up after it, in seconds.")

    @model_validator(mode="after")
    def _one_deed(self) -> Self:
        if bool(self.argv) == bool(self.topic):
            raise ValueError("give either argv or topic")
        return self


class ZoneSettings(Section):
    """One place where announcements sound; with no zone configured there is one, `default`."""

    outputs: tuple[Name, ...] = Field(
        (),
        description="Its outputs. Default: all of [outputs]; where none is configured, `mqtt`, "
        "and `player` if a sound device exists.",
        examples=[["speaker", "broker"]],
    )
    volume: Number = Field(1.0, ge=0, le=1, description="Volume, 0 to 1.")
    voice: VoiceName | None = Field(
        None, description="Its voice. Default: engine.voice.", examples=["hibari"]
    )
    lang: Language | None = Field(
        None, description="Its language. Default: node.lang.", examples=["en"]
    )
    mute: bool = Field(False, description="Suppress all but emergency.")
    mute_classes: tuple[ClassName, ...] = Field(
        (), description="Suppress these classes.", examples=[["background"]]
    )
    quiet_hours: QuietHoursSettings | None = Field(None, description="When it is to be quiet.")
    fallback_output: Name | None = Field(
        None, description="Output that takes over where one fails.", examples=["files"]
    )
    before: tuple[HookSettings, ...] = Field(
        (), description="What is done before the first sample, one after another."
    )
    after: tuple[HookSettings, ...] = Field(
        (), description="What is done after the last sample, one after another."
    )
