"""Announcements, events and a clock for the journal's tests."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cosyedge.core.events import Event, EventType, ZoneResult
from cosyedge.service.ports import JournalEntry, Outgoing

TEXT = b"The garage door is open, canary 7391."
FINISHED = Event(
    EventType.FINISHED,
    None,
    zones={"hall": ZoneResult(EventType.FINISHED)},
    details={"cached": True, "timings": {"queue_ms": 3}, "message": TEXT.decode()},
)


@dataclass
class SteadyClock:
    """Both clocks stand still until a test moves them."""

    monotonic_s: float = 1_000.0
    wall_s: float = 1_790_000_000.0

    def monotonic(self) -> float:
        return self.monotonic_s

    def wall(self) -> float:
        return self.wall_s


def entry(id: str, *, received_at: float = 1_790_000_000.0, payload: bytes = TEXT) -> JournalEntry:
    return JournalEntry(
        id, "cosyedge/hall/say", payload, received_at, received_at + 120, 100, ("hall", "attic")
    )


def event(word: str, id: str) -> Outgoing:
    payload = f'{{"event_type": "{word}", "id": "{id}"}}'.encode()
    return Outgoing("cosyedge/hall/event", payload, properties=(("schema", "1"),))


def run_child(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run tests/journal/child.py in a process of its own, which may end by a signal."""
    command = [sys.executable, "-m", "tests.journal.child", *map(str, arguments)]
    root = Path(__file__).parents[2]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, **options)
