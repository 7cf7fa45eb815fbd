"""[[schedule]]: what the box says by its own clock, also without a broker."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from cosyedge.config.base import ClassName, Language, Name, Section

_FIELDS = (5, 6)


def _cron_form(expression: str) -> str:
    if len(expression.split()) not in _FIELDS:
        raise ValueError("five fields: minute, hour, day, month, weekday")
    return expression


class ScheduleSettings(Section):
    """One entry; exactly one of text, template and media says what."""

    name: Name = Field(description="Its name, part of the announcement's id.", examples=["opening"])
    cron: Annotated[str, AfterValidator(_cron_form)] = Field(
        description="When: minute, hour, day, month, weekday.", examples=["55 8 * * *"]
    )
    text: str | None = Field(
        None, min_length=1, max_length=1000, description="A text.", examples=["We open at nine."]
    )
    template: Name | None = Field(None, description="Or a template of [templates].")
    slots: dict[str, str] = Field(default_factory=dict, description="The template's values.")
    media: str | None = Field(
        None, min_length=1, max_length=128, description="Or a recorded message or chime, by name."
    )
    lang: Language | None = Field(None, description="Its language.", examples=["en"])
    zones: tuple[str, ...] = Field(
        (), description="Zones or groups. Default: every zone.", examples=[["kitchen"]]
    )
    class_: ClassName = Field("normal", alias="class", description="Its class.")
    days: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...] = Field(
        (), description="Only on these days.", examples=[["mon", "tue", "wed", "thu", "fri"]]
    )
    exceptions: tuple[date, ...] = Field(
        (), description="Not on these dates.", examples=[["2026-12-25"]]
    )
    enabled: bool = Field(True, description="Whether it speaks.")

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if sum(part is not None for part in (self.text, self.template, self.media)) != 1:
            raise ValueError("give exactly one of text, template and media")
        if self.days and self.cron.split()[-1] != "*":
            raise ValueError("the weekday stands in cron and in days; give it once")
        return self

    @property
    def cron_on_days(self) -> str:
        """The expression with ``days`` as its weekday field."""
        *fields, weekday = self.cron.split()
        return " ".join([*fields, ",".join(self.days) or weekday])

    @property
    def payload(self) -> dict[str, object]:
        """The entry as the JSON announcement that it stands for."""
        said: dict[str, object] = {"zone": list(self.zones) or "all", "class": self.class_}
        if self.template is not None:
            said |= {"template": self.template, "slots": dict(self.slots)}
        optional = {"text": self.text, "media": self.media, "lang": self.lang}
        return said | {key: value for key, value in optional.items() if value is not None}
