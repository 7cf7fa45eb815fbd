from collections.abc import Sequence

from cosyedge.adapters.journal.outbox_mirror import MOST_ROWS, OutboxMirror
from cosyedge.service.ports import OutboxRow, Outgoing

MESSAGE = Outgoing("a/b", b"c")


class Disk:
    """Rows that are on disk, and how often they were read."""

    def __init__(self, count: int) -> None:
        self.rows = [OutboxRow(seq, MESSAGE) for seq in range(1, count + 1)]
        self.reads = 0

    def read(self, limit: int) -> Sequence[OutboxRow]:
        self.reads += 1
        return self.rows[:limit]

    def write(self, mirror: OutboxMirror, seq: int) -> None:
        self.rows.append(OutboxRow(seq, MESSAGE))
        mirror.written(self.rows[-1:])

    def deliver(self, mirror: OutboxMirror, limit: int) -> list[int]:
        seqs = [row.seq for row in mirror.oldest(limit)]
        mirror.taken_out(seqs)
        self.rows = [row for row in self.rows if row.seq not in seqs]
        return seqs


def test_what_was_just_written_is_not_read_again() -> None:
    disk = Disk(0)
    mirror = OutboxMirror(disk.read)
    assert disk.deliver(mirror, 10) == []
    for seq in (1, 2, 3):
        disk.write(mirror, seq)
    assert disk.deliver(mirror, 10) == [1, 2, 3]
    assert disk.reads == 1


def test_rows_of_an_earlier_life_come_first() -> None:
    disk = Disk(3)
    mirror = OutboxMirror(disk.read)
    disk.write(mirror, 4)
    assert disk.deliver(mirror, 10) == [1, 2, 3, 4]


def test_a_row_that_was_read_before_its_writer_was_told_comes_once() -> None:
    disk = Disk(0)
    mirror = OutboxMirror(disk.read)
    row = OutboxRow(1, MESSAGE)
    disk.rows.append(row)
    assert disk.deliver(mirror, 10) == [1]
    mirror.written([row])
    assert disk.deliver(mirror, 10) == []


def test_every_row_comes_once_and_in_order_however_long_the_broker_was_away() -> None:
    disk = Disk(0)
    mirror = OutboxMirror(disk.read)
    disk.deliver(mirror, 1)
    count = 3 * MOST_ROWS + 7
    for seq in range(1, count + 1):
        disk.write(mirror, seq)
    got: list[int] = []
    while seqs := disk.deliver(mirror, 64):
        got += seqs
    assert got == list(range(1, count + 1))
