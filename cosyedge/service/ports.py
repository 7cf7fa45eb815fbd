"""What the service needs from the world outside, as Protocols; adapters satisfy them."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from cosyedge.core.events import Event
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice


class Clock(Protocol):
    """Time, as an argument."""

    def monotonic(self) -> float:
        """Seconds that only grow; deadlines are kept in these."""
        ...

    def wall(self) -> float:
        """Seconds since 1970; for people and for what must survive a restart."""
        ...


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """One line about the workers: for health, state and the watchdog.

    ``progressed_at`` is the monotonic time of the last sign of life of the busiest worker;
    ``deadline_at`` is set while a request is in flight.
    """

    state: str
    rss_bytes: int = 0
    progressed_at: float = 0.0
    deadline_at: float | None = None
    restarts: int = 0
    fault: str | None = None


class SpeechEngine(Protocol):
    """Workers that turn requests into speech."""

    @property
    def voices(self) -> Mapping[str, Voice]:
        """The voices by name."""
        ...

    def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        """Yield (index, speech) as each is made. Raises EngineFailure, or Cancelled when a
        higher priority took the worker. Closing the iterator cancels the synthesis."""
        ...

    async def ping(self, timeout_s: float) -> float:
        """Round trip in seconds through the loop that synthesizes. Raises EngineFailure."""
        ...

    def status(self) -> EngineStatus:
        """The state of the workers."""
        ...


@dataclass(frozen=True, slots=True)
class CachedSpeech:
    """An entry of the phrase cache with what was measured of it."""

    speech: Speech
    peak: float
    lufs: float


class PhraseStore(Protocol):
    """The phrase cache, memory before disk. Never raises for a damaged or absent entry."""

    def recall(self, key: str) -> CachedSpeech | None:
        """The entry, if it lies in memory; quick enough for the event loop."""
        ...

    async def fetch(self, key: str) -> CachedSpeech | None:
        """The entry from memory or disk."""
        ...

    async def keep(self, key: str, entry: CachedSpeech, *, pinned: bool = False) -> None:
        """Store it; a full or broken disk costs only the disk tier."""
        ...

    async def pin(self, key: str, *, pinned: bool = True) -> bool:
        """Pin or unpin a stored entry; False where there is none."""
        ...

    async def clear(self, *, pinned: bool = False) -> int:
        """Drop all entries (the pinned ones only if asked); returns how many."""
        ...

    def shed(self) -> int:
        """Drop the memory tier; returns the bytes given back."""
        ...

    def stats(self) -> Mapping[str, Any]:
        """Counters for health and for request/cache_stats."""
        ...


@dataclass(frozen=True, slots=True)
class Programme:
    """What an output learns before the first clip."""

    id: str
    zone: str
    parts: int
    expires_at: float
    format: str | None = None
    rate_hz: int | None = None
    chunk_bytes: int | None = None
    urgent: bool = False


@dataclass(slots=True)
class Playback:
    """What an output reports about one programme, filled in as it happens (monotonic s)."""

    first_audio_at: float | None = None
    played_s: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
    on_first_audio: Callable[[float], None] | None = None

    def begin(self, at: float) -> None:
        """Note the moment of the first sample, in the middle of its write; once."""
        if self.first_audio_at is None:
            self.first_audio_at = at
            if self.on_first_audio is not None:
                self.on_first_audio(at)


class OutputSession(Protocol):
    """One announcement on one output."""

    playback: Playback

    async def write(self, speech: Speech, *, last: bool) -> None:
        """Hand over one shaped part; returns when the next may come. Raises OutputFailure."""
        ...

    async def drain(self) -> None:
        """Return when the last sample has sounded (or was acknowledged)."""
        ...

    async def stop(self, fade_s: float) -> None:
        """Cut it, fading over at most ``fade_s``; never raises."""
        ...

    async def hold(self, paused: bool) -> None:
        """Pause or go on in the middle of a part."""
        ...


class Output(Protocol):
    """A way out of a zone: a player, the broker, a file."""

    name: str

    async def open(self, programme: Programme) -> OutputSession:
        """Begin a programme. Raises OutputFailure."""
        ...

    async def probe(self) -> str | None:
        """None when it works, else the code of its fault; makes no sound."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """A received MQTT message. ``acknowledge`` is called once it is safe with us."""

    topic: str
    payload: bytes
    retain: bool
    qos: int
    expiry_s: float | None = None
    response_topic: str | None = None
    correlation: bytes | None = None
    acknowledge: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to publish."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False
    expiry_s: float | None = None
    content_type: str | None = None
    correlation: bytes | None = None
    properties: tuple[tuple[str, str], ...] = ()


class Broker(Protocol):
    """The connection to the MQTT broker."""

    @property
    def connected(self) -> bool:
        """Whether a session is up and its canary came back in time."""
        ...

    @property
    def max_packet_bytes(self) -> int:
        """The most that one publish of ours may hold, header included."""
        ...

    async def publish(self, message: Outgoing, *, deadline_s: float = 30.0) -> None:
        """Return at the PUBACK (QoS 0: when written). Raises OutputFailure."""
        ...


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An accepted announcement as the journal keeps it. Times are wall-clock seconds."""

    id: str
    topic: str
    payload: bytes
    received_at: float
    expires_at: float
    priority: int
    zones: tuple[str, ...]
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """An outgoing message that survives a restart until its PUBACK; ``seq`` orders them."""

    seq: int
    message: Outgoing


class Journal(Protocol):
    """Rows that survive a kill. Every await returns once the rows are on disk.

    Concurrent calls share one commit. Raises StorageFailure where the disk keeps nothing.
    """

    def ended_within_a_day(self, id: str) -> bool:
        """Whether this id was accepted (open or ended) in the last 24 h."""
        ...

    async def accept(self, entry: JournalEntry, events: Sequence[Outgoing]) -> None:
        """Commit the row and its accepted event in one transaction."""
        ...

    async def note(
        self, id: str, state: str, part: int = 0, messages: Sequence[Outgoing] = ()
    ) -> None:
        """Commit a state (started, part n begun) and its events in one transaction."""
        ...

    async def end(self, id: str, outcome: Event, events: Sequence[Outgoing]) -> None:
        """Commit the terminal row and its events in one transaction; a second end of the
        same id is a programming error and raises ValueError."""
        ...

    async def tell(self, events: Sequence[Outgoing]) -> None:
        """Queue events that belong to no row (rejected, duplicate, faults)."""
        ...

    def undelivered(self, limit: int) -> Sequence[OutboxRow]:
        """The oldest rows of the outbox."""
        ...

    async def delivered(self, seqs: Iterable[int]) -> None:
        """Forget rows of the outbox."""
        ...

    def open_entries(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """At start: what was accepted and has no end, with its last state and part."""
        ...


Sleep = Callable[[float], Awaitable[None]]


class KeptFault(Protocol):
    """A fault as it is kept. Times are wall-clock seconds."""

    @property
    def name(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def raised_at(self) -> float: ...
    @property
    def cleared_at(self) -> float | None: ...
    @property
    def acked_at(self) -> float | None: ...


class FaultLog(Protocol):
    """Where the last 99 faults are kept over a restart; quick calls, written in the background."""

    def fault_raised(self, name: str, code: str) -> None:
        """A fault began."""
        ...

    def fault_cleared(self, name: str) -> None:
        """It ended by itself."""
        ...

    def fault_acknowledged(self, name: str | None) -> None:
        """Somebody saw it (None: all of them)."""
        ...

    def faults(self) -> Sequence[KeptFault]:
        """Newest first."""
        ...


class SettingsStore(Protocol):
    """Settings that were set by topic, kept over a restart; written in the background."""

    def settings(self) -> Mapping[str, str]:
        """All of them: ``hall/volume`` -> JSON text."""
        ...

    def set_setting(self, key: str, value: str | None) -> None:
        """Keep or (None) forget one."""
        ...


class Notifier(Protocol):
    """The service manager."""

    def ready(self, status: str) -> None:
        """READY=1 with a status line."""
        ...

    def status(self, text: str) -> None:
        """STATUS=."""
        ...

    def watchdog(self) -> None:
        """WATCHDOG=1: call only when it is earned."""
        ...

    def reloading(self) -> None:
        """RELOADING=1."""
        ...

    def stopping(self) -> None:
        """STOPPING=1."""
        ...

    def extend_timeout(self, seconds: float) -> None:
        """EXTEND_TIMEOUT_USEC."""
        ...

    @property
    def watchdog_period_s(self) -> float | None:
        """How often WATCHDOG=1 is due, or None where nobody waits for it."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """Bytes: ours, the workers', what the system still has, and what it has in all."""

    supervisor_bytes: int
    available_bytes: int
    total_bytes: int


class Memory(Protocol):
    """The box's memory."""

    def read(self) -> MemoryReading:
        """One reading."""
        ...
