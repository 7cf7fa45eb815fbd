"""The journal of a node with no writable directory: the same promises, but for a restart."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice

from cosyedge.adapters.journal.faults import KEPT_FAULTS
from cosyedge.adapters.journal.recent_ids import RecentIds
from cosyedge.adapters.journal.rows import EndedRow, Fault, from_end, to_end
from cosyedge.core.events import Event
from cosyedge.service.ports import Clock, JournalEntry, OutboxRow, Outgoing

KEPT_ENDED = 200
# The oldest events give way: without a broker for long, nobody waits for them any more.
MAX_OUTBOX = 2_000


class MemoryJournal:
    """Satisfy :class:`cosyedge.service.ports.Journal` in memory, within bounds."""

    damage: str | None = None
    torn = False
    spoiled = False
    waiting = 0

    def __init__(self, clock: Clock, *, history_text: bool = False) -> None:
        self._clock = clock
        self._keep_text = history_text
        self._ids = RecentIds(clock)
        self._open: dict[str, JournalEntry] = {}
        self._ended: deque[EndedRow] = deque(maxlen=KEPT_ENDED)
        self._outbox: dict[int, Outgoing] = {}
        self._numbers = count(1)
        self._faults: deque[Fault] = deque(maxlen=KEPT_FAULTS)
        self._fault_ids = count(1)
        self._settings: dict[str, str] = {}

    @property
    def progressed_at(self) -> float:
        """Memory never waits."""
        return self._clock.monotonic()

    def ended_within_a_day(self, id: str) -> bool:
        """Whether this id was accepted (open or ended) in the last 24 h."""
        return id in self._ids

    async def accept(self, entry: JournalEntry, events: Sequence[Outgoing]) -> None:
        """Keep the row and its events. Raises ValueError where the id is open."""
        if entry.id in self._open:
            raise ValueError(f"{entry.id!r} is open already")
        self._open[entry.id] = entry
        self._ids.add(entry.id)
        self._put_out(events)

    async def note(
        self,
        id: str,
        state: str,  # noqa: ARG002 - no state outlives the process
        part: int = 0,  # noqa: ARG002
        messages: Sequence[Outgoing] = (),
    ) -> None:
        """Keep the events of a state. Raises ValueError where the id is not open."""
        if id not in self._open:
            raise ValueError(f"{id!r} is not open")
        self._put_out(messages)

    async def end(self, id: str, outcome: Event, events: Sequence[Outgoing]) -> None:
        """End an open item. Raises ValueError where the id is not open."""
        entry = self._open.pop(id, None)
        if entry is None:
            raise ValueError(f"{id!r} is not open")
        text = entry.payload if self._keep_text else None
        self._ended.appendleft(to_end(from_end(entry, outcome, self._clock.wall(), text)))
        self._put_out(events)

    async def tell(self, events: Sequence[Outgoing]) -> None:
        """Queue events that belong to no row."""
        self._put_out(events)

    def undelivered(self, limit: int) -> Sequence[OutboxRow]:
        """The oldest rows of the outbox."""
        return [OutboxRow(seq, message) for seq, message in islice(self._outbox.items(), limit)]

    async def delivered(self, seqs: Iterable[int]) -> None:
        """Forget rows of the outbox."""
        for seq in seqs:
            self._outbox.pop(seq, None)

    def open_entries(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """Nothing is open at the start."""
        return []

    def history(self, since: float = 0.0, limit: int = 100) -> Sequence[EndedRow]:
        """What ended since a wall-clock second, newest first."""
        return [row for row in self._ended if row.ended_at >= since][:limit]

    def fault_raised(self, name: str, code: str) -> None:
        """Latch a fault; the same one again changes nothing."""
        if any(_stands(fault, name) and fault.code == code for fault in self._faults):
            return
        self.fault_cleared(name)
        fault = Fault(next(self._fault_ids), name, code, self._clock.wall())
        self._faults.appendleft(fault)

    def fault_cleared(self, name: str) -> None:
        """Mark a part's fault as gone."""
        now = self._clock.wall()
        for place, fault in enumerate(self._faults):
            if _stands(fault, name):
                self._faults[place] = replace(fault, cleared_at=now)

    def fault_acknowledged(self, name: str | None) -> None:
        """Acknowledge a part's faults, or all."""
        now = self._clock.wall()
        for place, fault in enumerate(self._faults):
            if name in (None, fault.name) and fault.acked_at is None:
                self._faults[place] = replace(fault, acked_at=now)

    def faults(self) -> Sequence[Fault]:
        """The last 99 faults, newest first."""
        return list(self._faults)

    def forget_faults(self) -> None:
        """Forget them all: they are kept elsewhere."""
        self._faults.clear()

    def set_setting(self, key: str, value: str | None) -> None:
        """Keep a setting until the process ends; None forgets it."""
        if value is None:
            self._settings.pop(key, None)
        else:
            self._settings[key] = value

    def settings(self) -> Mapping[str, str]:
        """All settings that were kept."""
        return dict(self._settings)

    async def recover(self) -> bool:
        """Nothing is owed to a disk."""
        return True

    def found_late(self) -> Sequence[tuple[JournalEntry, str, int]]:
        """No disk is found later."""
        return []

    async def close(self) -> None:
        """Nothing to close."""

    def _put_out(self, events: Sequence[Outgoing]) -> None:
        for message in events:
            self._outbox[next(self._numbers)] = message
        while len(self._outbox) > MAX_OUTBOX:
            del self._outbox[next(iter(self._outbox))]


def _stands(fault: Fault, name: str) -> bool:
    return fault.cleared_at is None and fault.name == name
