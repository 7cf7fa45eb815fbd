"""Feeding inputs one after the other: what came of each, and how long the slowest took."""

import random
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

#: Makes one input out of the dice and feeds it; names what came of it. Whatever it raises, an
#: AssertionError too, is a violation.
Feed = Callable[[random.Random], str]

HANG_S = 1.0
SHOWN = 5


@dataclass(slots=True)
class Tally:
    """What came of all inputs; ``violations`` are tracebacks with the input's number."""

    outcomes: Counter[str] = field(default_factory=Counter)
    longest_s: float = 0.0
    violations: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether nothing crashed and nothing took a second."""
        return not self.violations and self.longest_s <= HANG_S


def run(
    feed: Feed, count: int, seed: int, *, beat: Callable[[int], object] = lambda _: None
) -> Tally:
    """Feed ``count`` inputs; input ``n`` of a seed is the same in every run.

    ``beat`` hears the number of each input before it is fed.
    """
    tally = Tally()
    for number in range(count):
        beat(number)
        dice = random.Random(seed << 32 | number)
        begun = time.perf_counter()
        try:
            tally.outcomes[feed(dice)] += 1
        except Exception:  # noqa: BLE001 - a crash is what is looked for
            tally.violations.append(f"input {number} of seed {seed}\n{traceback.format_exc()}")
        tally.longest_s = max(tally.longest_s, time.perf_counter() - begun)
    return tally


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A folder where files cost no disk, if there is such a place; gone at the end."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


def mutated(data: bytes, dice: random.Random, pieces: tuple[bytes, ...] = (b"\0",)) -> bytes:
    """A copy with one to five changes: a byte, a bit, a cut, a doubling, something put in."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 5)):
        at = dice.randrange(len(changed) + 1)
        match dice.randrange(7):
            case 0:
                changed[at : at + 1] = bytes([dice.randrange(256)])
            case 1 if at < len(changed):
                changed[at] ^= 1 << dice.randrange(8)
            case 2:
                changed[at:at] = dice.choice(pieces)
            case 3:
                del changed[at : at + dice.randrange(1, 40)]
            case 4:
                changed[at:at] = changed[max(0, at - 20) : at]
            case 5 if dice.random() < 0.2:
                del changed[at:]
            case _:
                span = min(dice.randrange(1, 600), len(changed) - at)
                changed[at : at + span] = bytes(span)
    return bytes(changed)
