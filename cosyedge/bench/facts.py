"""Decisions as plain facts, zone by zone, so that two ways of deciding can be compared."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from cosyedge.core.decisions import Cut, Decision, Hold, Start
from cosyedge.core.events import EventType

Fact: TypeAlias = tuple[str, ...]


def facts_of(decisions: Iterable[Decision]) -> list[Fact]:
    """Take decisions apart; sorted, since those of one moment have no order."""
    return sorted(fact for decision in decisions for fact in _facts_of(decision))


def _facts_of(decision: Decision) -> Iterator[Fact]:
    match decision:
        case Start():
            id, place = decision.announcement.id, (str(decision.from_part), str(decision.round))
            yield from (("start", id, zone, *place) for zone in decision.zones)
        case Cut():
            yield from (("cut", decision.id, zone) for zone in decision.zones)
        case Hold():
            yield ("hold", decision.zone, str(decision.paused))
        case _ if decision.type is EventType.RESUMED:
            yield from (("resumed", decision.announcement.id, zone) for zone in decision.zones)
        case _:
            yield ("tell", decision.type.value, decision.announcement.id, str(decision.reason))
