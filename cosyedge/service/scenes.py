"""What each zone does that is not idle, for the state topic."""

from dataclasses import dataclass
from enum import StrEnum

from cosyedge.service.performance import Performance


class Act(StrEnum):
    """What a performance does: its first part is being made, it sounds, or a pause holds it."""

    SYNTHESIZING = "synthesizing"
    PLAYING = "playing"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Scene:
    """One zone, and the announcement that has it."""

    zone: str
    id: str
    act: Act


def scene_of(performance: Performance) -> Scene:
    """What a performance does now."""
    return Scene(performance.zone, performance.announcement.id, _act(performance))


def _act(performance: Performance) -> Act:
    if performance.is_held:
        return Act.PAUSED
    return Act.PLAYING if performance.account.parts else Act.SYNTHESIZING
