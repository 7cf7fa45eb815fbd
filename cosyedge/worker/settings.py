"""How a worker is run: what it may take of the box, and how long its parent waits for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Settings of one worker; those of its engine among them.

    ``threads``: at most so many for one run; 0 lets the engine choose.
    ``memory_cap_bytes``: what the worker may hold resident; above it a run fails by itself.
    ``recycle_above_bytes``: resident memory at which it is replaced between two sentences.
    ``cancel_grace_s``: how long a cancelled run may take to end before the worker is killed.
    ``backoff_*``: the wait before a restart doubles from the first to the most.
    """

    threads: int = 0
    memory_cap_bytes: int | None = None
    recycle_above_bytes: int | None = None
    stages: str = "auto"
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    load_deadline_s: float = 60.0
    cancel_grace_s: float = 0.3
    backoff_first_s: float = 0.1
    backoff_most_s: float = 30.0

    def for_engine(self) -> dict[str, Any]:
        """Return the fields of the engine's own settings."""
        return {
            "threads": self.threads,
            "memory_cap_bytes": self.memory_cap_bytes,
            "stages": self.stages,
            "options": dict(self.options),
        }
