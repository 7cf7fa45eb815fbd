"""The place of a journal on disk that could not be opened yet."""

from collections.abc import Iterable, Mapping, Sequence

from cosyedge.adapters.journal.rows import EndedRow, Fault
from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import Clock, JournalEntry, OutboxRow, Outgoing


class AbsentDisk:
    """Refuses every row as a full disk does, and knows nothing. Arguments go unread."""

    damage: str | None = None
    torn = False
    spoiled = False
    waiting = 0

    def __init__(self, failure: StorageFailure, clock: Clock) -> None:
        """``failure`` says why there is no disk."""
        self._failure = failure
        self._clock = clock

    @property
    def progressed_at(self) -> float:
        """Nothing waits for it."""
        return self._clock.monotonic()

    def ended_within_a_day(self, _id: str) -> bool:
        """What the disk knew cannot be read."""
        return False

    async def accept(self, _entry: JournalEntry, _events: Sequence[Outgoing]) -> None:
        """Raise StorageFailure."""
        raise self._again()

    async def note(
        self, _id: str, _state: str, _part: int = 0, _messages: Sequence[Outgoing] = ()
    ) -> None:
        """Raise StorageFailure."""
        raise self._again()

    async def end(self, _id: str, _outcome: Event, _events: Sequence[Outgoing]) -> None:
        """Raise StorageFailure."""
        raise self._again()

    async def tell(self, _events: Sequence[Outgoing]) -> None:
        """Raise StorageFailure."""
        raise self._again()

    async def delivered(self, _seqs: Iterable[int]) -> None:
        """Raise StorageFailure."""
        raise self._again()

    async def probe(self) -> None:
        """Raise StorageFailure."""
        raise self._again()

    def open_entries(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """What was open is found once the disk is there."""
        return []

    def undelivered(self, _limit: int) -> Sequence[OutboxRow]:
        """Raise StorageFailure."""
        raise self._again()

    def history(self, _since: float = 0.0, _limit: int = 100) -> Sequence[EndedRow]:
        """Raise StorageFailure."""
        raise self._again()

    def faults(self) -> Sequence[Fault]:
        """Raise StorageFailure."""
        raise self._again()

    def settings(self) -> Mapping[str, str]:
        """Raise StorageFailure."""
        raise self._again()

    def fault_raised(self, _name: str, _code: str, _at: float | None = None) -> None:
        """Keep nothing."""

    def fault_cleared(self, _name: str, _at: float | None = None) -> None:
        """Keep nothing."""

    def fault_acknowledged(self, _name: str | None, _at: float | None = None) -> None:
        """Keep nothing."""

    def set_setting(self, _key: str, _value: str | None) -> None:
        """Keep nothing."""

    async def close(self) -> None:
        """Nothing to close."""

    def _again(self) -> StorageFailure:
        return StorageFailure(self._failure.code, str(self._failure))
