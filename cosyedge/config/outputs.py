"""[outputs.NAME]: the ways out of a zone, told apart by their kind."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from cosyedge.config.base import Format, Number, Section, Whole

Pace: TypeAlias = Literal["realtime", "none"]


class MqttOutputSettings(Section):
    """Clips on <base>/<node>/audio/<zone>/<id>."""

    kind: Literal["mqtt"] = Field("mqtt", description="Audio over the broker.")
    profile: Literal["lan", "esp32", "cloud"] = Field(
        "lan",
        description="lan: whole WAV clips; esp32: 16 kHz PCM in small paced chunks; "
        "cloud: clips of at most 120 KB.",
    )
    format: Format | None = Field(
        None, description="Format of a clip. Default: the profile's.", examples=["flac"]
    )
    rate_hz: Whole | None = Field(
        None,
        ge=8000,
        le=48000,
        description="Sample rate. Default: the profile's, else the voice's.",
        examples=[24000],
    )
    chunk_bytes: Whole | None = Field(
        None,
        ge=1024,
        le=16777216,
        description="Largest chunk, in bytes. Default: the profile's, and never above the "
        "broker's limit.",
        examples=[65536],
    )
    pace: Pace = Field(
        "realtime",
        description="realtime: the zone is busy while the clip sounds; none: until the broker "
        "has it.",
    )


class PlayerOutputSettings(Section):
    """A program that is fed raw PCM on its standard input."""

    kind: Literal["player"] = Field("player", description="A sound device of this box.")
    argv: tuple[str, ...] = Field(
        (),
        description="Its command, as a list, fed with s16le mono; {rate}, {device}, {buffer_ms} "
        "and {buffer_us} are filled in. Default: aplay, pacat or pw-cat, whichever works.",
        examples=[["aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", "{rate}", "-"]],
    )
    device: str | None = Field(
        None,
        max_length=128,
        description="Sound card by name, never by number: they change places.",
        examples=["plughw:CARD=Headphones"],
    )
    rate_hz: Whole | None = Field(
        None, ge=8000, le=192000, description="Sample rate. Default: the voice's.", examples=[48000]
    )
    lead_in_s: Number = Field(
        0.0,
        ge=0,
        le=5,
        description="Silence before speech, in seconds, for amplifiers that wake up slowly.",
    )
    buffer_ms: Whole = Field(
        100, ge=10, le=2000, description="Sound that a cut can no longer reach, in milliseconds."
    )
    keep_awake: bool = Field(
        False, description="Feed a very low tone in pauses, for amplifiers that fall asleep."
    )


class FileOutputSettings(Section):
    """One file an announcement, named by its id."""

    kind: Literal["file"] = Field("file", description="Files in a directory.")
    directory: Path = Field(description="Where they go.", examples=["/var/lib/cosyedge/out"])
    format: Format = Field("wav", description="Format of a file.")
    max_files: Whole = Field(
        100, ge=1, le=1000000, description="The oldest ones are removed above so many."
    )


class NullOutputSettings(Section):
    """Takes everything and makes no sound; for trials."""

    kind: Literal["null"] = Field("null", description="No sound at all.")
    pace: Pace = Field("none", description="Whether it takes as long as the sound would.")


OutputSettings: TypeAlias = Annotated[
    MqttOutputSettings | PlayerOutputSettings | FileOutputSettings | NullOutputSettings,
    Field(discriminator="kind"),
]
