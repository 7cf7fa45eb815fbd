"""The oldest rows of the outbox in memory: what was just written need not be read again."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from cosyedge.service.ports import OutboxRow

MOST_ROWS: Final = 512


class OutboxMirror:
    """Rows by their number, oldest first. Where more were written than it holds, it reads on
    from the disk once it has run short."""

    def __init__(self, read: Callable[[int], Sequence[OutboxRow]]) -> None:
        """``read(limit)`` gives the oldest rows on disk."""
        self._read = read
        self._rows: dict[int, OutboxRow] = {}
        self._read_to = 0
        self._more_on_disk = True

    def oldest(self, limit: int) -> list[OutboxRow]:
        """The oldest rows. Raises what ``read`` does."""
        if self._more_on_disk and len(self._rows) < limit:
            rows = self._read(MOST_ROWS)
            self._rows = {row.seq: row for row in rows}
            self._read_to = max((row.seq for row in rows), default=self._read_to)
            self._more_on_disk = len(rows) == MOST_ROWS
        return list(islice(self._rows.values(), limit))

    def written(self, rows: Iterable[OutboxRow]) -> None:
        """Take in rows that are on disk now, in the order of their numbers."""
        for row in rows:
            if row.seq <= self._read_to:
                continue
            if self._more_on_disk or len(self._rows) >= MOST_ROWS:
                self._more_on_disk = True
                return
            self._rows[row.seq] = row

    def taken_out(self, seqs: Iterable[int]) -> None:
        """Forget rows."""
        for seq in seqs:
            self._rows.pop(seq, None)
