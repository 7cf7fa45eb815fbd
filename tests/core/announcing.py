"""Short ways to make announcements and to read decisions."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cosyedge.core.announcement import CLASSES, Announcement
from cosyedge.core.decisions import Cut, Decision, Hold, Start, Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.policy import ZoneRules
from cosyedge.core.utterance import Utterance

FINISHED = ZoneResult(EventType.FINISHED)
SENTENCES = tuple(Utterance(text, text, "en") for text in ("One.", "Two.", "Three."))


def make(id: str, class_name: str = "normal", zones: Iterable[str] = ("hall",), **fields: Any):
    """An announcement of three sentences, received at 0 and alive for 120 s."""
    plain = Announcement(id, CLASSES[class_name], tuple(zones), SENTENCES, 0.0, 120.0)
    return replace(plain, **fields)


def open_hall(*zones: str, **arguments: Any) -> Dispatcher:
    """A dispatcher with zones of no particular rules."""
    rules = dict.fromkeys(zones or ("hall",), ZoneRules())
    return Dispatcher(rules, **arguments)


def starts(decisions: Iterable[Decision]) -> list[tuple[str, tuple[str, ...], int]]:
    """(id, zones, from_part) of every start."""
    return [
        (each.announcement.id, each.zones, each.from_part)
        for each in decisions
        if isinstance(each, Start)
    ]


def cuts(decisions: Iterable[Decision]) -> list[tuple[str, tuple[str, ...], str]]:
    """(id, zones, reason) of every cut."""
    return [(each.id, each.zones, each.reason) for each in decisions if isinstance(each, Cut)]


def told(decisions: Iterable[Decision]) -> list[tuple[str, str, str | None]]:
    """(id, event, reason) of everything told."""
    return [
        (each.announcement.id, each.type.value, each.reason)
        for each in decisions
        if isinstance(each, Tell)
    ]


def holds(decisions: Iterable[Decision]) -> list[tuple[str, bool]]:
    """(zone, paused) of every hold."""
    return [(each.zone, each.paused) for each in decisions if isinstance(each, Hold)]
