"""[[phrases]]: what is synthesized at idle and kept for good."""

from pydantic import Field

from cosyedge.config.base import Language, Name, Number, Section, VoiceName


class PhraseSettings(Section):
    """One pinned phrase."""

    text: str = Field(
        min_length=1,
        max_length=1000,
        description="The text, as announcements will send it.",
        examples=["The front door opened."],
    )
    lang: Language | None = Field(
        None, description="Its language. Default: the zone's or the node's.", examples=["en"]
    )
    voice: VoiceName | None = Field(
        None, description="Its voice. Default: the zone's or the node's.", examples=["hibari"]
    )
    zone: Name | None = Field(
        None, description="The zone whose voice and language it takes.", examples=["kitchen"]
    )
    speed: Number | None = Field(
        None, ge=0.5, le=2.0, description="Its speed. Default: engine.speed.", examples=[1.0]
    )
