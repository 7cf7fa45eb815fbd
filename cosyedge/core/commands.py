"""What commands do to announcements that are already accepted."""

from collections.abc import Mapping

from cosyedge.core import causes
from cosyedge.core.causes import Cause
from cosyedge.core.floor import Floor
from cosyedge.core.job import Job, Stage, Zone
from cosyedge.core.ledger import Ledger
from cosyedge.core.policy import ZoneRules
from cosyedge.core.selectors import Selector

_IDLE = (Stage.WAITING, Stage.RESTING)
_SPEAKING = (Stage.PLAYING, Stage.CUTTING)


def end_meant(
    floor: Floor, ledger: Ledger, selector: Selector, grant: int, cause: Cause, now: float
) -> None:
    """End what the selector means, in the zones it means, as far as the grant covers it."""
    named = ledger.get(selector.id) if selector.id is not None else None
    jobs = ledger if selector.id is None else [named] if named is not None else []
    for job in jobs:
        if job.announcement.priority > grant:
            continue
        for leg in job.at(*_IDLE, *_SPEAKING):
            if selector.means(job.announcement, leg.zone.name):
                floor.end(leg, cause, now)


def skip(floor: Floor, zone: str | None, grant: int, now: float) -> None:
    """End what plays in one zone, or in all."""
    for each in floor.zones.values():
        leg = each.leg
        if zone in (None, each.name) and leg is not None and leg.announcement.priority <= grant:
            floor.end(leg, causes.SKIPPED, now)


def end_waiting(floor: Floor, job: Job, cause: Cause, now: float) -> None:
    """End every leg that neither plays nor is done."""
    for leg in job.at(*_IDLE):
        floor.close(leg, cause.result, now)


def clear(floor: Floor, ledger: Ledger, grant: int, now: float) -> None:
    """End all that waits, rests or is cut for others; what plays ends with its round."""
    for job in ledger:
        if job.announcement.priority <= grant:
            give_up(floor, job, causes.CLEARED, now)


def stop_repeating(floor: Floor, job: Job, cause: Cause, now: float) -> None:
    """Let no further round begin; a leg that was never heard still gets its first."""
    job.last_word = cause.result
    for leg in job.at(*_IDLE):
        if leg.rounds:
            floor.close(leg, cause.result, now)


def replace(floor: Floor, older: Job, cuts: bool, now: float) -> None:
    """Give way to a newer one: waiting legs end; playing ones are cut, or end with their round."""
    give_up(floor, older, causes.REPLACED, now)
    for leg in older.at(Stage.PLAYING):
        if cuts:
            floor.end(leg, causes.REPLACED, now)


def give_up(floor: Floor, job: Job, cause: Cause, now: float) -> None:
    """End it but for the rounds in the air."""
    job.last_word = cause.result
    end_waiting(floor, job, cause, now)
    for leg in job.at(Stage.CUTTING):
        if leg.verdict is None:
            floor.end(leg, cause, now)


def hold(floor: Floor, zone: str | None, paused: bool, now: float) -> None:
    """Pause one zone, or all, or let them go on."""
    for each in floor.zones.values():
        if zone in (None, each.name):
            floor.hold(each, paused, now)


def rebuild(floor: Floor, ledger: Ledger, rules: Mapping[str, ZoneRules], now: float) -> None:
    """Take new rules; a zone without any is gone, with all that is meant for it."""
    gone = [zone for name, zone in floor.zones.items() if name not in rules]
    floor.zones = {name: floor.zones.get(name) or Zone(name, each) for name, each in rules.items()}
    for name, zone in floor.zones.items():
        zone.rules = rules[name]
    for zone in gone:
        zone.gone = True
        for job in ledger:
            leg = job.legs.get(zone.name)
            if leg is not None and leg.zone is zone and leg.stage is not Stage.DONE:
                floor.end(leg, causes.ZONE_GONE, now)
    floor.judge_again(now)
