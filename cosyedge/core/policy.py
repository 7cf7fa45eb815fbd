"""What a zone's rules make of a class at a time of day: speak, speak softly, or keep quiet."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cosyedge.core.announcement import CLASSES, Rendering, class_of

_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
_DAY_MIN = 24 * 60
HELD_BACK = frozenset({"background", "low", "normal"})
#: The minute of a day whose hour nobody knows: all hours may be now.
UNKNOWN_MINUTE = -1


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours in which ``classes`` are held back, or are heard at ``volume`` at most.

    Minutes count from midnight of the node's wall clock; the end is not part of it, and an end
    before the begin lies on the next day. ``volume`` (0 to 1) None means silence.
    """

    begin_min: int
    end_min: int
    classes: frozenset[str] = HELD_BACK
    volume: float | None = None

    def covers(self, minute: int) -> bool:
        """Whether ``minute`` of the day lies inside.

        At an unknown one nothing is silenced, for what is lost at noon is worse; but what may be
        softer is.
        """
        if minute == UNKNOWN_MINUTE:
            return self.volume is not None
        length = (self.end_min - self.begin_min) % _DAY_MIN
        return (minute - self.begin_min) % _DAY_MIN < length


def parse_quiet_hours(
    text: str, classes: Iterable[str] = HELD_BACK, volume: float | None = None
) -> QuietHours:
    """Read ``HH:MM-HH:MM``. Raises ValueError for another form or an unknown class."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise ValueError(f"quiet hours are HH:MM-HH:MM, not {text!r}")
    unknown = sorted(set(classes) - CLASSES.keys())
    if unknown:
        raise ValueError(f"unknown classes {unknown}")
    begin_h, begin_m, end_h, end_m = (int(group) for group in found.groups())
    return QuietHours(begin_h * 60 + begin_m, end_h * 60 + end_m, frozenset(classes), volume)


@dataclass(frozen=True, slots=True)
class ZoneRules:
    """What a zone lets through: ``muted`` for all but emergencies, or by class and hour."""

    muted: bool = False
    muted_classes: frozenset[str] = frozenset()
    quiet: tuple[QuietHours, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether it may sound, at which volume at most (0 to 1), and by which code if not freely."""

    audible: bool = True
    volume: float | None = None
    code: str | None = None


FREE = Ruling()


def judge(rules: ZoneRules, priority: int, minute: int) -> Ruling:
    """Apply a zone's rules to a priority at a minute of the day; emergencies pass all of them."""
    has_rules = rules.muted or rules.muted_classes or rules.quiet
    if not has_rules or priority >= CLASSES["emergency"]:
        return FREE
    name = class_of(priority)
    if rules.muted or name in rules.muted_classes:
        return Ruling(audible=False, code="muted")
    ruling = FREE
    for hours in rules.quiet:
        if name not in hours.classes or not hours.covers(minute):
            continue
        if hours.volume is None:
            return Ruling(audible=False, code="quiet_hours")
        if ruling.volume is None or hours.volume < ruling.volume:
            ruling = Ruling(volume=hours.volume, code="quiet_hours")
    return ruling


def loudness_of(zone_volume: float, rendering: Rendering, cap: float | None = None) -> float:
    """Combine a zone's volume with a message's own into one factor, 0 to 1, under ``cap``."""
    asked = zone_volume * rendering.volume * 10 ** (rendering.gain_db / 20)
    return max(0.0, min(asked, 1.0 if cap is None else cap))
