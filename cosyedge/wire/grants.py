"""Authority comes from the topic alone: how high a payload may claim to be."""

from dataclasses import dataclass

from cosyedge.core.announcement import CLASSES
from cosyedge.wire.topics import CommandTopic

HIGHEST = 255


@dataclass(frozen=True, slots=True)
class Grant:
    """What a topic allows, 0 to 255: at most ``most``, and ``default`` where nothing is said."""

    most: int
    default: int


@dataclass(frozen=True, slots=True)
class GrantPolicy:
    """What plain topics allow; topics with a class allow that class."""

    say: str = "high"
    say_default: str = "normal"

    def of(self, topic: CommandTopic) -> Grant:
        """The grant of a topic."""
        if topic.class_name is not None:
            return Grant(ceiling(topic.class_name), CLASSES[topic.class_name])
        most = ceiling(self.say)
        return Grant(most, min(most, CLASSES[self.say_default]))


def ceiling(class_name: str) -> int:
    """The highest priority that a class grants: its own, and all above for the highest."""
    return HIGHEST if class_name == "emergency" else CLASSES[class_name]


def decide_priority(
    grant: Grant, *, priority: int | None, class_name: str | None
) -> tuple[int, bool]:
    """The priority an announcement gets, and whether the grant capped what it asked for."""
    if priority is None:
        priority = grant.default if class_name is None else CLASSES[class_name]
    return min(priority, grant.most), priority > grant.most
