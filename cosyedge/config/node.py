"""[node]: who this box is."""

import re
import socket
import zoneinfo
from typing import Annotated

from pydantic import AfterValidator, Field

from cosyedge.config.base import Language, Name, Section


def _host_name() -> str:
    """Make the host's name fit a topic: `[a-z0-9_-]{1,32}`."""
    short = socket.gethostname().split(".")[0].lower()
    return re.sub(r"[^a-z0-9_-]+", "-", short).strip("-")[:32] or "node"


def _known_timezone(name: str) -> str:
    if name and name not in zoneinfo.available_timezones():
        raise ValueError("not a time zone such as Europe/Berlin or Asia/Shanghai")
    return name


class NodeSettings(Section):
    """The node's names and languages."""

    name: Name = Field(
        default_factory=_host_name,
        description="Name in topics, [a-z0-9_-]{1,32}. Default: the host name made to fit.",
        examples=["hall"],
    )
    base: str = Field(
        "cosyedge",
        pattern=r"^[A-Za-z0-9_-]{1,32}(/[A-Za-z0-9_-]{1,32})?$",
        description="First part of every topic.",
    )
    lang: Language | None = Field(
        None,
        description="Language of announcements that name none. Default: auto, by script.",
        examples=["en"],
    )
    latin_default: Language = Field(
        "en", description="Language of text in Latin letters when lang is auto."
    )
    han_default: Language = Field(
        "zh", description="Language of text in Han characters when lang is auto: zh, yue or ja."
    )
    timezone: Annotated[str, AfterValidator(_known_timezone)] = Field(
        "", description="IANA time zone of schedules and quiet hours. Empty: the system's."
    )
    default_zone: Name | None = Field(
        None,
        description="Zone of announcements that name none. Default: `default`, else the first.",
        examples=["kitchen"],
    )
