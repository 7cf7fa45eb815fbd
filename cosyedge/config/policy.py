"""[policy]: what happens where two reasonable nodes would differ."""

from typing import Literal

from pydantic import Field

from cosyedge.config.base import Number, Section, Whole
from cosyedge.core.announcement import Interrupt, Resume, Routing


class PolicySettings(Section):
    """Defaults of announcements that do not say, and what a crash leaves."""

    on_crash: Literal["drop", "replay"] = Field(
        "drop",
        description="What becomes of an announcement that was playing when the daemon died: "
        "drop ends it as failed, replay says it again.",
    )
    unavailable: Literal["speak", "replace", "refuse"] = Field(
        "speak",
        description="Values such as unavailable, unknown or None in a text: spoken with a "
        "warning, replaced by words of the language, or refused.",
    )
    interrupt: Interrupt = Field(
        Interrupt.LOWER, description="Whom an announcement cuts that does not say."
    )
    interrupt_margin: Whole = Field(
        40, ge=1, le=255, description="How much higher a priority must be to cut another."
    )
    resume: Resume = Field(
        Resume.SENTENCE, description="What becomes of an announcement that was cut."
    )
    routing: Routing = Field(Routing.STACKED, description="How an announcement wins several zones.")
    fade_ms: Whole = Field(
        150, ge=0, le=150, description="How long a cut fades out, in milliseconds."
    )
    coalesce_window_s: Number = Field(
        2.0,
        ge=0,
        le=3600,
        description="The same text without id within so many seconds is said once.",
    )
