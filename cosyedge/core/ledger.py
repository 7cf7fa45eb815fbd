"""The ledger: every accepted id, from its acceptance to its one end."""

from collections import OrderedDict
from collections.abc import Collection, Iterator
from typing import Any

from cosyedge.core import causes
from cosyedge.core.announcement import Announcement
from cosyedge.core.backlog import Backlog
from cosyedge.core.causes import Cause
from cosyedge.core.decisions import Tell
from cosyedge.core.job import Job

REMEMBERED_S = 24 * 3600.0
SAME_CONTENT_S = 2.0


def tell(cause: Cause, announcement: Announcement, **details: Any) -> Tell:
    """Make the event of a cause."""
    return Tell(cause.event, announcement, cause.reason, details=details)


class Ledger:
    """Know which ids are considered, open or ended, and end each of the open ones once."""

    def __init__(self) -> None:
        self.backlog = Backlog()
        self._open: dict[str, Job] = {}
        self._considered: set[str] = set()
        self._ended: OrderedDict[str, float] = OrderedDict()
        self._contents: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._keyed: dict[str, set[Job]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._open.values()))

    def get(self, id: str) -> Job | None:
        """The open announcement of this id."""
        return self._open.get(id)

    def echo(self, announcement: Announcement, now: float) -> Tell | None:
        """Say of what this is a repetition: a known id, or the content of the last 2 s."""
        id = announcement.id
        if id in self._considered or self.knows(id, now):
            return tell(causes.DUPLICATE, announcement)
        twin, at = self._contents.get(announcement.content_key or "", ("", now))
        if twin and now - at < SAME_CONTENT_S:
            return tell(causes.COALESCED, announcement, into=twin)
        return None

    def knows(self, id: str, now: float) -> bool:
        """Whether this id is open or ended in the last 24 h."""
        ended_at = self._ended.get(id)
        return id in self._open or (ended_at is not None and now - ended_at < REMEMBERED_S)

    def reserve(self, announcement: Announcement, now: float) -> None:
        """Take its copies for duplicates already, while its row is being written."""
        self._considered.add(announcement.id)
        while self._contents and next(iter(self._contents.values()))[1] <= now - SAME_CONTENT_S:
            self._contents.popitem(last=False)
        if announcement.content_key is not None:
            self._contents[announcement.content_key] = (announcement.id, now)
            self._contents.move_to_end(announcement.content_key)

    def withdraw(self, announcement: Announcement) -> None:
        """Forget a reservation that came to nothing."""
        self._considered.discard(announcement.id)
        key = announcement.content_key or ""
        if self._contents.get(key, ("",))[0] == announcement.id:
            del self._contents[key]

    def accept(self, job: Job) -> None:
        """Open it; its id must not be open."""
        announcement = job.announcement
        if announcement.id in self._open:
            raise ValueError(f"{announcement.id} is open")
        self._considered.discard(announcement.id)
        self._open[announcement.id] = job
        self.backlog.add(job)
        if announcement.coalesce_key is not None:
            self._keyed.setdefault(announcement.coalesce_key, set()).add(job)

    def older_of(self, announcement: Announcement) -> Collection[Job]:
        """The open ones of its coalesce_key that its topic's grant covers, oldest first."""
        if announcement.coalesce_key is None:
            return ()
        family = self._keyed.get(announcement.coalesce_key, ())
        covered = [job for job in family if job.announcement.priority <= announcement.origin.grant]
        return sorted(covered, key=lambda job: job.seq)

    def end(self, job: Job, now: float, remembered: int) -> Tell:
        """Tell the one end of an open announcement: nothing else makes a terminal event.

        Raises KeyError if it has ended before.
        """
        announcement = job.announcement
        del self._open[announcement.id]
        self.backlog.discard(job)
        self._remember(announcement.id, now, remembered)
        if announcement.coalesce_key is not None:
            family = self._keyed[announcement.coalesce_key]
            family.discard(job)
            if not family:
                del self._keyed[announcement.coalesce_key]
        outcome = job.outcome()
        zones = {name: leg.result for name, leg in job.legs.items() if leg.result is not None}
        return Tell(outcome.outcome, announcement, outcome.reason, zones, _details(job))

    def _remember(self, id: str, now: float, remembered: int) -> None:
        self._ended[id] = now
        self._ended.move_to_end(id)
        while len(self._ended) > remembered:
            self._ended.popitem(last=False)


def _details(job: Job) -> dict[str, Any]:
    details: dict[str, Any] = {}
    repetition = job.announcement.repetition
    if repetition.times > 1 or repetition.until_ack:
        details["rounds"] = max((leg.rounds for leg in job.legs.values()), default=0)
    if repetition.until_ack:
        details["acknowledged"] = job.acknowledged
    if job.capped:
        details["capped_by"] = [*job.announcement.capped_by, "quiet_hours"]
    return details
