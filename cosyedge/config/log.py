"""[log]: what is written about announcements."""

from typing import Literal

from pydantic import Field

from cosyedge.config.base import Section


class LogSettings(Section):
    """Form and detail of the log."""

    format: Literal["auto", "text", "json", "journal"] = Field(
        "auto", description="auto: the journal under systemd, text elsewhere."
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least that is written."
    )
    text: bool = Field(
        False, description="Whether logs and events hold the texts of announcements."
    )
