"""Safekeeping: rows go to the disk's journal, and to memory while the disk keeps nothing."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import Journal, JournalEntry, OutboxRow, Outgoing


class Safekeeping:
    """A Journal that goes on from memory when its disk fails, and says so.

    Each call tries the disk first, so a mended disk is used again by itself. Sequence numbers
    of rows in memory are negative: the two outboxes cannot be confused.
    """

    def __init__(
        self, disk: Journal, memory: Journal, *, on_disk: Callable[[str | None], None]
    ) -> None:
        """``on_disk`` hears the code of the disk's fault, or None when it keeps rows again."""
        self._disk = disk
        self._memory = memory
        self._on_disk = on_disk

    def ended_within_a_day(self, id: str) -> bool:
        """Whether either journal knows the id."""
        return self._disk.ended_within_a_day(id) or self._memory.ended_within_a_day(id)

    async def accept(self, entry: JournalEntry, events: Sequence[Outgoing]) -> None:
        """Commit to disk, else to memory."""
        await self._try(lambda journal: journal.accept(entry, events))

    async def note(
        self, id: str, state: str, part: int = 0, messages: Sequence[Outgoing] = ()
    ) -> None:
        """Commit to disk, else to memory."""
        await self._try(lambda journal: journal.note(id, state, part, messages))

    async def end(self, id: str, outcome: Event, events: Sequence[Outgoing]) -> None:
        """Commit to disk, else to memory."""
        await self._try(lambda journal: journal.end(id, outcome, events))

    async def tell(self, events: Sequence[Outgoing]) -> None:
        """Commit to disk, else to memory."""
        await self._try(lambda journal: journal.tell(events))

    def undelivered(self, limit: int) -> Sequence[OutboxRow]:
        """The oldest rows of both outboxes, the disk's first."""
        rows = list(self._disk.undelivered(limit))
        spare = self._memory.undelivered(limit - len(rows)) if len(rows) < limit else ()
        return rows + [OutboxRow(-row.seq - 1, row.message) for row in spare]

    async def delivered(self, seqs: Iterable[int]) -> None:
        """Forget rows of either outbox."""
        seqs = list(seqs)
        await self._memory.delivered([-seq - 1 for seq in seqs if seq < 0])
        try:
            await self._disk.delivered([seq for seq in seqs if seq >= 0])
        except StorageFailure as error:
            self._on_disk(error.code)

    def open_entries(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """What the disk still has open."""
        return self._disk.open_entries()

    async def _try(self, write: Callable[[Journal], Awaitable[None]]) -> None:
        try:
            await write(self._disk)
        except StorageFailure as error:
            self._on_disk(error.code)
            await write(self._memory)
        else:
            self._on_disk(None)
