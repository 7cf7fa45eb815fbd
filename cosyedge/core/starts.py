"""Starts that happen together: one decision for all zones that begin at the same place."""

from cosyedge.core import causes
from cosyedge.core.decisions import Decision, Start, Tell
from cosyedge.core.job import Job, Leg


class Starts:
    """Gather legs that begin, and make one Start of those at the same part and round."""

    def __init__(self) -> None:
        self._begun: dict[tuple[Job, int, int], list[str]] = {}
        self._resumed: dict[tuple[Job, int, int], list[str]] = {}
        self._caps: dict[tuple[Job, str], float] = {}

    def add(self, leg: Leg, cap: float | None) -> None:
        """Note that a leg begins; ``cap`` is the most volume it may have in its zone."""
        key = (leg.job, leg.part, leg.rounds)
        self._begun.setdefault(key, []).append(leg.zone.name)
        if leg.interrupted:
            self._resumed.setdefault(key, []).append(leg.zone.name)
        if cap is not None:
            leg.job.capped = True
            self._caps[leg.job, leg.zone.name] = cap

    def jobs(self) -> list[Job]:
        """The announcements that begin somewhere."""
        return list(dict.fromkeys(job for job, _, _ in self._begun))

    def take(self) -> list[Decision]:
        """Hand out the decisions, most urgent first, and forget them."""
        decisions: list[Decision] = []
        if not self._begun:
            return decisions
        for key in sorted(self._begun, key=lambda key: -key[0].announcement.priority):
            job, part, rounds = key
            names = tuple(name for name in job.legs if name in self._begun[key])
            if key in self._resumed:
                result = dict.fromkeys(self._resumed[key], causes.RESUMED.result)
                decisions.append(
                    Tell(causes.RESUMED.event, job.announcement, None, result, {"part": part})
                )
            caps = {name: self._caps[job, name] for name in names if (job, name) in self._caps}
            decisions.append(Start(job.announcement, names, part, rounds, caps))
        self._begun.clear()
        self._resumed.clear()
        self._caps.clear()
        return decisions
