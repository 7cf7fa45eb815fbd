"""The backlog: all that waits, within its bounds of items and bytes."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from cosyedge.core.announcement import Announcement
from cosyedge.core.job import Job
from cosyedge.core.line import Line


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How much may wait, how much is spoken after an outage, how many ended ids are known."""

    max_items: int = 100
    max_bytes: int = 1 << 20
    burst_max: int = 20
    remembered_ids: int = 10_000


class Backlog:
    """Count the announcements that hold no zone, and know which has to go first."""

    def __init__(self) -> None:
        self._line: Line[Job, tuple[int, int]] = Line()
        self.bytes = 0
        self.by_class: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._line)

    def __contains__(self, job: Job) -> bool:
        return job in self._line

    def add(self, job: Job) -> None:
        """Count ``job`` in; again is once."""
        if job not in self._line:
            self._line.add(job, (job.announcement.priority, job.seq))
            self.bytes += job.announcement.size_bytes
            self.by_class[job.announcement.class_name] += 1

    def discard(self, job: Job) -> None:
        """Count ``job`` out, if it is in."""
        if job in self._line:
            self._line.discard(job)
            self.bytes -= job.announcement.size_bytes
            self.by_class[job.announcement.class_name] -= 1

    def make_room(
        self, newcomer: Announcement, limits: QueueLimits, leaving: Collection[Job] = ()
    ) -> list[Job] | None:
        """Choose who has to go so that ``newcomer`` fits: lowest and oldest first.

        None where it can't fit without pushing out one that it does not outrank.
        ``leaving`` go in any case. Nothing is changed.
        """
        items = len(self) + 1 - limits.max_items - len(leaving)
        size_bytes = self.bytes + newcomer.size_bytes - limits.max_bytes
        size_bytes -= sum(job.announcement.size_bytes for job in leaving)
        if items <= 0 and size_bytes <= 0:
            return []
        lowest = self._line.first()
        if lowest is None:
            return None
        # A full queue turns away a flood at the cost of one look, without sorting.
        one_look = lowest.announcement.priority >= newcomer.priority or items == 1 >= size_bytes
        victims = []
        for job in [lowest] if one_look and lowest not in leaving else self._line:
            if job in leaving:
                continue
            if job.announcement.priority >= newcomer.priority:
                return None
            victims.append(job)
            items -= 1
            size_bytes -= job.announcement.size_bytes
            if items <= 0 and size_bytes <= 0:
                return victims
        return None
