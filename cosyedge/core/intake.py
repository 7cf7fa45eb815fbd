"""How an announcement comes in: its zones, its room in the queue, its way to the lines."""

from collections.abc import Mapping, Sequence

from cosyedge.core import causes
from cosyedge.core.announcement import Announcement
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.errors import Refusal
from cosyedge.core.floor import Floor
from cosyedge.core.job import Job, Leg, Zone
from cosyedge.core.ledger import Ledger
from cosyedge.core.policy import ZoneRules
from cosyedge.core.zones import expand


def zones_of(
    announcement: Announcement, floor: Floor, groups: Mapping[str, Sequence[str]]
) -> Sequence[str]:
    """Its zones by name; names that are unknown by now stay, and will fail."""
    try:
        return expand(announcement.zones, floor.zones, groups)
    except Refusal:
        return tuple(dict.fromkeys(announcement.zones)) or ("default",)


def room_for(
    announcement: Announcement,
    zones: Sequence[str],
    floor: Floor,
    ledger: Ledger,
    limits: QueueLimits,
) -> list[Job] | None:
    """Choose who has to go for it; None: nobody may, and it can't start at once either."""
    leaving = [job for job in ledger.older_of(announcement) if job in ledger.backlog]
    room = ledger.backlog.make_room(announcement, limits, leaving)
    if room is None and all(_is_idle(floor.zones.get(name)) for name in zones):
        return []
    return room


def open_job(announcement: Announcement, zones: Sequence[str], floor: Floor, ledger: Ledger) -> Job:
    """Enter it into the ledger, with a leg for each zone."""
    job = Job(announcement, floor.next_seq())
    for name in zones:
        zone = floor.zones.get(name) or Zone(name, ZoneRules(), gone=True)
        job.legs[name] = Leg(job, zone, job.seq, announcement.expires_at)
    job.open = len(job.legs)
    ledger.accept(job)
    return job


def send_to_lines(job: Job, floor: Floor, now: float) -> None:
    """Let each leg wait where it may sound; the other ones have their result at once."""
    for leg in list(job.legs.values()):
        if leg.zone.gone:
            floor.end(leg, causes.ZONE_GONE, now)
        elif now >= leg.expires_at:
            floor.end(leg, causes.EXPIRED, now)
        else:
            floor.enqueue(leg, now)


def _is_idle(zone: Zone | None) -> bool:
    """Whether what comes now starts now, and needs no room in the queue."""
    return zone is not None and not zone.paused and zone.leg is None and not zone.line
