"""Who goes first, and who may cut whom."""

from typing import TypeAlias

from cosyedge.core.announcement import CLASSES, Announcement, Interrupt

# "lower" cuts what lies at least this far below: always a whole class, never a neighbour number.
PREEMPTION_GAP = 40

Place: TypeAlias = tuple[int, int, int]


def place(announcement: Announcement, interrupted: bool, seq: int) -> Place:
    """Make the sort key of a line: higher priority first, then first come, first served.

    Within one number those that cut always stand before those that were cut, and these before
    the rest. So whoever :func:`may_cut` another also stands before it, and the two can't take
    turns at cutting each other.
    """
    always = announcement.interrupt is Interrupt.ALWAYS
    rank = 0 if always else 1 if interrupted else 2
    return (-announcement.priority, rank, seq)


def may_cut(newcomer: Announcement, running: Announcement) -> bool:
    """Whether ``newcomer`` may cut ``running``.

    ``always`` cuts what does not outrank it, except its own kind; it never cuts a higher number.
    """
    above = newcomer.priority - running.priority
    match newcomer.interrupt:
        case Interrupt.NEVER:
            return False
        case Interrupt.LOWER:
            return above >= PREEMPTION_GAP
        case Interrupt.ALWAYS:
            return above > 0 or (above == 0 and running.interrupt is not Interrupt.ALWAYS)


def is_emergency(announcement: Announcement) -> bool:
    """Whether mute, quiet hours and pause don't hold it."""
    return announcement.priority >= CLASSES["emergency"]
