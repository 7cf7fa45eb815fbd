"""How a leg goes on: after a cut, after a round, and when its time is up."""

from cosyedge.core import causes
from cosyedge.core.announcement import Resume
from cosyedge.core.decisions import Tell
from cosyedge.core.events import ZoneResult
from cosyedge.core.floor import Floor, overdue
from cosyedge.core.job import Job, Leg, Stage


def end_cut(floor: Floor, leg: Leg, at_part: int, now: float) -> None:
    """Send a leg that fell silent on its way: to its end, its next round, or its line."""
    if leg.verdict is not None:
        floor.close(leg, leg.verdict, now)
    elif at_part >= leg.announcement.parts:
        end_round(floor, leg, now)
    elif _has_said_enough(leg):
        floor.close(leg, causes.TOO_LONG.result, now)
    elif now >= leg.expires_at:
        floor.close(leg, overdue(leg).result, now)
    else:
        _interrupt(floor, leg, at_part, now)


def end_round(floor: Floor, leg: Leg, now: float) -> None:
    """Count a round that was heard to its end; the leg rests, or has its result."""
    leg.rounds += 1
    leg.part = 0
    result = _after_round(leg, now)
    leg.verdict = None
    if result is None:
        leg.stage = Stage.RESTING
    else:
        floor.close(leg, result, now)


def review(floor: Floor, job: Job, now: float) -> None:
    """Do what is due for an announcement: rounds, the time to live, max_duration."""
    due = [leg for leg in job.at(Stage.RESTING) if leg.due_at is not None and leg.due_at <= now]
    if due:
        floor.requeue(due, now)
    for leg in job.at(Stage.WAITING):
        if now >= leg.expires_at:
            floor.end(leg, overdue(leg), now)
    for leg in job.at(Stage.PLAYING):
        silenced_at = leg.silenced_at()
        if leg.held_until is not None and now >= leg.held_until:
            floor.end(leg, overdue(leg), now)
        elif silenced_at is not None and now >= silenced_at:
            floor.end(leg, causes.TOO_LONG, now)
    floor.rearm(job)


def _interrupt(floor: Floor, leg: Leg, at_part: int, now: float) -> None:
    leg.part = 0 if leg.announcement.resume is Resume.START else max(0, at_part)
    leg.interrupted = True
    zones = {leg.zone.name: causes.CUT.result}
    details = {"part": leg.part}
    floor.out.append(Tell(causes.CUT.event, leg.announcement, causes.CUT.reason, zones, details))
    floor.enqueue(leg, now)


def _after_round(leg: Leg, now: float) -> ZoneResult | None:
    """Give the result of a leg whose round is over; None: it speaks again.

    The time to live bounds plain repeats (no first sample after it); until_ack goes on.
    """
    job = leg.job
    announcement = job.announcement
    repetition = announcement.repetition
    if leg.rounds >= repetition.times and not repetition.until_ack:
        return causes.FINISHED.result
    if leg.verdict is not None:
        return leg.verdict
    if job.last_word is not None:
        return job.last_word
    if _has_said_enough(leg):
        return causes.TOO_LONG.result
    if not repetition.until_ack and now + repetition.interval_s >= announcement.expires_at:
        return causes.ROUNDS_EXPIRED.result
    return None


def _has_said_enough(leg: Leg) -> bool:
    limit_s = leg.announcement.max_duration_s
    return limit_s is not None and leg.spoken_s >= limit_s
