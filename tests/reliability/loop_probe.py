"""A probe inside the daemon's event loop: how long the loop lets its timers wait.

A timer of 5 ms looks at three clocks when it is served. What the wall says besides includes other
programs' turns at the processor; the processor time of our own process in between, threads
included, does not: where it is small, nothing of ours stood in the loop's way.
"""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

PERIOD_S = 0.005
#: Shorter waits are not written down.
WRITTEN_S = 0.002


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait of a timer, at a monotonic time; seconds of the wall and of our processor time."""

    at: float
    late_s: float
    cpu_s: float


class Probe:
    """Looks at one loop and writes a line a wait."""

    def __init__(self, loop: asyncio.AbstractEventLoop, path: Path) -> None:
        self._loop = loop
        self._lines = path.open("a", buffering=1)
        self._due = loop.time()
        self._cpu = time.process_time()

    def look(self) -> None:
        """Write how late we are, and be called again."""
        now, cpu = self._loop.time(), time.process_time()
        late_s, cpu_s = now - self._due, cpu - self._cpu
        if max(late_s, cpu_s) > WRITTEN_S:
            self._lines.write(f"{now} {late_s} {cpu_s}\n")
        self._due, self._cpu = now + PERIOD_S, cpu
        self._loop.call_later(PERIOD_S, self.look)


class ProbedLoops(asyncio.DefaultEventLoopPolicy):
    """Every loop has a probe that writes to ``path``."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """A loop like any other, with its probe."""
        loop = super().new_event_loop()
        loop.call_soon(Probe(loop, self._path).look)
        return loop


def waits(path: Path) -> list[Wait]:
    """What was written so far."""
    lines = path.read_text().splitlines()
    return [Wait(*map(float, line.split())) for line in lines if line.count(" ") == 2]
