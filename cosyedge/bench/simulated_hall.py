"""A hall that plays in a simulated clock: it carries out decisions and reports what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf
from random import Random
from typing import Any, NamedTuple

from cosyedge.core.announcement import Announcement
from cosyedge.core.decisions import Cut, Decision, Start
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import EventType, ZoneResult
from cosyedge.core.selectors import Selector

FADE_S = 0.15
CHARACTER_S = 0.06
_FINISHED = ZoneResult(EventType.FINISHED)
_FAILED = ZoneResult(EventType.FAILED, "device_lost")
_FAILURE_CHANCE = 0.01
_CANCEL_CHANCE = 0.01


class SimulatedCall(NamedTuple):
    """One call to the dispatcher, and its answer."""

    name: str
    arguments: tuple[Any, ...]
    decisions: list[Decision]


@dataclass(slots=True)
class _Playing:
    announcement: Announcement
    begun_at: float
    part: int
    ends_at: float
    report: int


class Hall:
    """Play what the dispatcher starts until all announcements have come and nothing is left."""

    def __init__(
        self, dispatcher: Dispatcher, announcements: Sequence[Announcement], draw: Random
    ) -> None:
        self.starts = 0
        self.cuts = 0
        self._dispatcher = dispatcher
        self._coming = announcements
        self._draw = draw
        self._calls: list[SimulatedCall] = []
        self._playing: dict[str, _Playing] = {}
        self._reports: list[tuple[float, int, str, bool]] = []
        self._numbers = count()

    def run(self) -> list[SimulatedCall]:
        """Let the clock jump from one happening to the next; returns every call with its answer."""
        arrived = 0
        while True:
            arrival = self._coming[arrived].received_at if arrived < len(self._coming) else inf
            report = self._reports[0][0] if self._reports else inf
            deadline = self._dispatcher.next_deadline()
            now = min(arrival, report, inf if deadline is None else deadline)
            if now == inf:
                return self._calls
            if deadline is not None and deadline <= now:
                self._call(now, "tick", now)
            elif report <= now:
                self._report(*heappop(self._reports))
            else:
                self._arrive(self._coming[arrived], now)
                arrived += 1

    def _arrive(self, announcement: Announcement, now: float) -> None:
        self._call(now, "submit", announcement, now)
        if self._draw.random() < _CANCEL_CHANCE:
            victim = f"a{max(0, int(announcement.id[1:]) - self._draw.randrange(20))}"
            self._call(now, "cancel", Selector(id=victim), 160, now)

    def _report(self, now: float, number: int, zone: str, is_cut: bool) -> None:
        playing = self._playing.get(zone)
        if playing is None or playing.report != number:
            return
        del self._playing[zone]
        id = playing.announcement.id
        if is_cut:
            self._call(now, "stopped", id, zone, self._part_at(playing, now), now)
        else:
            outcome = _FAILED if self._draw.random() < _FAILURE_CHANCE else _FINISHED
            self._call(now, "played", id, zone, outcome, now)

    def _call(self, now: float, name: str, *arguments: Any) -> None:
        decisions = getattr(self._dispatcher, name)(*arguments)
        self._calls.append(SimulatedCall(name, arguments, decisions))
        for decision in decisions:
            if isinstance(decision, Start):
                self._start(decision, now)
            elif isinstance(decision, Cut):
                self._cut(decision, now)

    def _start(self, start: Start, now: float) -> None:
        lengths_s = [len(u.spoken) * CHARACTER_S for u in start.announcement.utterances]
        ends_at = now + sum(lengths_s[start.from_part :])
        for zone in start.zones:
            number = next(self._numbers)
            playing = _Playing(start.announcement, now, start.from_part, ends_at, number)
            self._playing[zone] = playing
            heappush(self._reports, (ends_at, number, zone, False))
            self.starts += 1

    def _cut(self, cut: Cut, now: float) -> None:
        for zone in cut.zones:
            playing = self._playing[zone]
            self.cuts += 1
            if playing.ends_at > now + FADE_S:
                playing.report = next(self._numbers)
                heappush(self._reports, (now + FADE_S, playing.report, zone, True))

    def _part_at(self, playing: _Playing, now: float) -> int:
        """The sentence that was in the air."""
        at = playing.begun_at
        utterances = playing.announcement.utterances
        for part in range(playing.part, len(utterances)):
            at += len(utterances[part].spoken) * CHARACTER_S
            if at > now:
                return part
        return len(utterances)
