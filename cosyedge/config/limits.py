"""[limits]: how much one message and one topic may ask for."""

from pydantic import Field

from cosyedge.config.base import Number, Section, Whole


class LimitsSettings(Section):
    """Bounds of the input."""

    payload_bytes: Whole = Field(
        16384, ge=64, le=65536, description="Largest payload that is read, in bytes."
    )
    text_max_chars: Whole = Field(
        1000, ge=10, le=10000, description="Longest text after normalizing, in characters."
    )
    rate_per_s: Number = Field(
        5.0, gt=0, le=100000, description="Messages a second and topic; emergency is exempt."
    )
    rate_burst: Whole = Field(
        100, ge=1, le=1000000, description="Messages that a topic may send at once."
    )
