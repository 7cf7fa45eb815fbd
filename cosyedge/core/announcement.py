"""An announcement: what to say, where, how urgently, and until when it is worth saying."""

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum

from cosyedge.core.utterance import Utterance

CLASSES: dict[str, int] = {
    "background": 16,
    "low": 60,
    "normal": 100,
    "high": 160,
    "urgent": 200,
    "emergency": 240,
}
_NAMES = tuple(CLASSES)
_FLOORS = tuple(CLASSES.values())


def class_of(priority: int) -> str:
    """Name the highest class that ``priority`` (0 to 255) reaches; below all: background."""
    return _NAMES[max(0, bisect_right(_FLOORS, priority) - 1)]


class Interrupt(StrEnum):
    """Which running announcements this one may cut."""

    NEVER = "never"
    LOWER = "lower"
    ALWAYS = "always"


class Resume(StrEnum):
    """What becomes of this one after it was cut."""

    SENTENCE = "sentence"
    START = "start"
    DROP = "drop"


class Routing(StrEnum):
    """How several zones are won: the free ones alone, all at once, or each when it is free."""

    PARTIAL = "partial"
    ALL_OR_NOTHING = "all_or_nothing"
    STACKED = "stacked"


class CacheUse(StrEnum):
    """How an announcement uses the phrase cache."""

    USE = "use"
    REFRESH = "refresh"
    BYPASS = "bypass"
    PIN = "pin"


@dataclass(frozen=True, slots=True)
class Repetition:
    """How often it is said; ``until_ack`` goes on until somebody acknowledges the id."""

    times: int = 1
    interval_s: float = 0.0
    until_ack: bool = False


@dataclass(frozen=True, slots=True)
class VoiceChoice:
    """Who speaks; None stands for the zone's or the node's default."""

    voice: str | None = None
    speaker: str | None = None
    speed: float = 1.0
    cache: CacheUse = CacheUse.USE


@dataclass(frozen=True, slots=True)
class Rendering:
    """How it sounds and in which form it leaves; None stands for the output's default.

    ``volume`` is a factor of the zone's volume, 0 to 1; ``gain_db`` is added to it.
    """

    volume: float = 1.0
    gain_db: float = 0.0
    chime: str | None = None
    end_chime: str | None = None
    format: str | None = None
    rate_hz: int | None = None
    chunk_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a message came from; ``topic`` is the authority, ``source`` is only a label."""

    topic: str = ""
    grant: int = 255
    response_topic: str | None = None
    correlation: bytes | None = None
    source: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Announcement:
    """One accepted message. Times are seconds of the monotonic clock.

    ``media`` names a recorded message that is played before the utterances.
    ``debug`` shows how its texts were rewritten; empty unless texts may be logged.
    ``content_key`` is set where the sender gave no id: equal ones within 2 s coalesce.
    """

    id: str
    priority: int
    zones: tuple[str, ...]
    utterances: tuple[Utterance, ...]
    received_at: float
    expires_at: float
    interrupt: Interrupt = Interrupt.LOWER
    resume: Resume = Resume.SENTENCE
    routing: Routing = Routing.STACKED
    repetition: Repetition = Repetition()
    max_duration_s: float | None = None
    coalesce_key: str | None = None
    replace: bool = True
    content_key: str | None = None
    size_bytes: int = 0
    media: str | None = None
    voice: VoiceChoice = VoiceChoice()
    rendering: Rendering = Rendering()
    origin: Origin = field(default_factory=Origin)
    replay_of: str | None = None
    capped_by: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    debug: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """The class that the priority reaches."""
        return class_of(self.priority)

    @property
    def parts(self) -> int:
        """How many clips it has: a recorded message counts as one more."""
        return len(self.utterances) + (self.media is not None)
