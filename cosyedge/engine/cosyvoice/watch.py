"""How a call is told to stop, between its steps and inside a run."""

from collections.abc import Callable
from dataclasses import dataclass

from cosyedge.engine.contract import Cancellation


@dataclass(frozen=True, slots=True)
class Watch:
    """``check`` raises between steps; ``cancel`` ends a run in flight."""

    cancel: Cancellation
    check: Callable[[], None]


def unwatched() -> Watch:
    """Return a watch that nobody stops."""
    return Watch(Cancellation(), lambda: None)
