"""[policy]: what happens where two reasonable nodes would differ."""

from typing import Literal

from pydantic import Field

from cosyedge.config.base import Section
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
    resume: Resume = Field(
        Resume.SENTENCE, description="What becomes of an announcement that was cut."
    )
    routing: Routing = Field(Routing.STACKED, description="How an announcement wins several zones.")
