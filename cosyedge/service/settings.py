"""The settings that the service reads, as frozen values; the root makes them from the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cosyedge.core.announcement import Interrupt, Resume, Routing


@dataclass(frozen=True, slots=True)
class Hook:
    """Something to do before or after speech: run ``argv``, or publish ``payload``."""

    argv: tuple[str, ...] = ()
    topic: str | None = None
    payload: str = ""
    deadline_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Zone:
    """A place that hears: its outputs by name, and how it likes to be spoken to.

    ``volume`` is a factor from 0 to 1, applied before the announcement's own.
    """

    name: str
    outputs: tuple[str, ...]
    fallback_output: str | None = None
    volume: float = 1.0
    voice: str | None = None
    lang: str | None = None
    lead_in_s: float = 0.0
    before: tuple[Hook, ...] = ()
    after: tuple[Hook, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase that is rendered ahead and pinned."""

    text: str
    lang: str | None = None
    voice: str | None = None
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """Something the box says by itself: ``cron`` in the node's time zone, a say payload.

    ``except_days`` are ISO dates on which it stays silent.
    """

    name: str
    cron: str
    payload: Mapping[str, object]
    class_name: str = "normal"
    except_days: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one message, and of messages over time."""

    payload_bytes: int = 16_384
    text_max_chars: int = 1_000
    ttl_s: float = 120.0
    emergency_ttl_s: float = 600.0
    ttl_max_s: float = 86_400.0
    rate_per_s: float = 5.0
    rate_burst: int = 100


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a synthesis may take: so many times what is expected, within two bounds."""

    shortest_s: float = 5.0
    factor: float = 3.0
    longest_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Policy:
    """What an announcement does that does not say."""

    interrupt: Interrupt = Interrupt.LOWER
    resume: Resume = Resume.SENTENCE
    routing: Routing = Routing.STACKED
    on_crash: str = "drop"


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """Who this node is and how it reads and speaks by default."""

    name: str
    base: str = "cosyedge"
    voice: str = "hibari"
    fallback_voice: str | None = None
    default_zone: str = "default"
    log_text: bool = False
    speed: float = 1.0
    quality: Mapping[str, float | int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """All of it."""

    node: NodeSettings
    zones: Mapping[str, Zone]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    templates: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    phrases: tuple[Phrase, ...] = ()
    schedule: tuple[ScheduleEntry, ...] = ()
    timezone: str | None = None
    policy: Policy = Policy()
