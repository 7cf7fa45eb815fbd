"""What survives a kill: rows, the outbox, faults and settings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cosyedge.core.events import Event
from cosyedge.service.ports.messages import Outgoing


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
