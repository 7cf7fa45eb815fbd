"""Ten thousand announcements in a simulated clock: is every order right, and how fast is it?

Four zones, all classes, all routings, pre-emption, repeats, commands and rushes that fill the
queue. Every call to the dispatcher is then made to the reference model, which must answer alike.
"""

from dataclasses import asdict, dataclass
from itertools import accumulate
from random import Random
from time import process_time
from typing import Any

from cosyedge.bench.facts import facts_of
from cosyedge.bench.reference_model import ReferenceModel
from cosyedge.bench.simulated_hall import Hall, SimulatedCall
from cosyedge.core.announcement import (
    CLASSES,
    Announcement,
    Interrupt,
    Repetition,
    Resume,
    Routing,
)
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.policy import QuietHours, ZoneRules
from cosyedge.core.utterance import Utterance

ZONES = {
    "hall": ZoneRules(),
    "yard": ZoneRules(muted_classes=frozenset({"background"})),
    "office": ZoneRules(quiet=(QuietHours(0, 1440, frozenset({"low"}), volume=0.5),)),
    "dock": ZoneRules(),
}
# A queue of its own size: longer than the default of 100, and still too short for the rushes.
LIMITS = QueueLimits(max_items=150, remembered_ids=20_000)

_SENTENCES = tuple(
    Utterance(text, text, "en")
    for text in ("Attention please.", "The line has stopped.", "Gate four is now open for loading.")
)
_CLASS_WEIGHTS = (5, 15, 55, 15, 8, 2)
_RUSH_CHANCE = 0.001
_RUSH_SIZE = 250
_GAP_S = 1.0


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What came out. ``order_errors`` counts the calls that the reference model answered otherwise.

    ``sim_per_s``: announcements a second of processor time, the hall's included. Nothing here waits
    for anything, so that it is the second of the clock wherever the box has nothing else to do.
    """

    announcements: int
    calls: int
    starts: int
    cuts: int
    order_errors: int
    open_at_end: int
    sim_per_s: float

    def as_dict(self) -> dict[str, Any]:
        """Give the figures by name."""
        return asdict(self)


def run(count: int = 10_000, seed: int = 4) -> SimulationResult:
    """Simulate ``count`` announcements and compare each decision. Takes seconds: blocks."""
    dispatcher = Dispatcher(ZONES, LIMITS)
    announcements = make_announcements(count, seed)
    hall = Hall(dispatcher, announcements, Random(seed))  # noqa: S311 - a scenario, not a secret
    begun_at = process_time()
    calls = hall.run()
    elapsed_s = process_time() - begun_at
    return SimulationResult(
        announcements=count,
        calls=len(calls),
        starts=hall.starts,
        cuts=hall.cuts,
        order_errors=count_differences(calls),
        open_at_end=len(dispatcher.view().items),
        sim_per_s=count / elapsed_s,
    )


def count_differences(calls: list[SimulatedCall]) -> int:
    """Make the same calls to the reference model; count those that it answers otherwise."""
    model = ReferenceModel(ZONES, LIMITS)
    differences = 0
    for call in calls:
        expected = sorted(getattr(model, call.name)(*call.arguments))
        differences += facts_of(call.decisions) != expected
    return differences


def make_announcements(count: int, seed: int) -> list[Announcement]:
    """Draw announcements in the order of their arrival; the same seed gives the same ones."""
    draw = Random(seed)  # noqa: S311 - a scenario, not a secret
    gaps_s: list[float] = []
    while len(gaps_s) < count:
        rush = draw.random() < _RUSH_CHANCE
        gaps_s.append(draw.expovariate(1 / _GAP_S))
        gaps_s += [0.01] * (_RUSH_SIZE if rush else 0)
    times = accumulate(gaps_s[:count])
    return [_make(number, at, draw) for number, at in enumerate(times)]


def _make(number: int, at: float, draw: Random) -> Announcement:
    floor = draw.choices(list(CLASSES.values()), _CLASS_WEIGHTS)[0]
    return Announcement(
        id=f"a{number}",
        priority=min(255, floor + draw.choice((0, 0, 0, 1, 15))),
        zones=tuple(draw.sample(list(ZONES), draw.choices((1, 2, 4), (80, 15, 5))[0])),
        utterances=_SENTENCES[: draw.choices((1, 2, 3), (50, 30, 20))[0]],
        received_at=at,
        expires_at=at + draw.choice((30.0, 120.0, 600.0)),
        interrupt=draw.choices(tuple(Interrupt), (10, 85, 5))[0],
        resume=draw.choices(tuple(Resume), (80, 10, 10))[0],
        routing=draw.choices(tuple(Routing), (10, 5, 85))[0],
        repetition=draw.choices((Repetition(), Repetition(2), Repetition(2, 5.0)), (95, 3, 2))[0],
        max_duration_s=draw.choices((None, 4.0), (97, 3))[0],
        coalesce_key=draw.choices((None, f"key{number % 7}"), (97, 3))[0],
        size_bytes=draw.randrange(40, 400),
    )
