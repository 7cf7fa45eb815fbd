"""The contract between the worker and an engine: what each engine module gives and may rely on."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from cosyedge.core.errors import Cancelled
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice

Stages: TypeAlias = Literal["auto", "resident", "staged"]


class Cancellation:
    """One call's wish to stop: made by any thread, seen between steps and inside a run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._stops: list[Callable[[], None]] = []

    @property
    def requested(self) -> bool:
        """Whether somebody asked; engines look at it between their steps."""
        return self._requested

    def request(self) -> None:
        """Ask for the stop and end the runs in flight; safe from any thread, and twice."""
        with self._lock:
            self._requested = True
            for stop in self._stops:
                stop()

    def check(self) -> None:
        """Raise Cancelled if somebody asked."""
        if self._requested:
            raise Cancelled

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call ``stop``, from the asking thread, if somebody asks (or has asked) meanwhile."""
        with self._lock:
            self._stops.append(stop)
            if self._requested:
                stop()
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How an engine may use the box.

    ``threads``: at most so many for one run; 0 lets the engine choose.
    ``memory_cap_bytes``: resident memory of the whole worker; None is no cap.
    ``stages``: whether an engine of several graphs keeps them all, or loads each for its turn.
    ``options``: the engine's own, as the configuration's table for this voice gives them.
    """

    threads: int = 0
    memory_cap_bytes: int | None = None
    stages: Stages = "auto"
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


class Engine(Protocol):
    """A loaded voice. One thread calls it, one call at a time."""

    @property
    def voice(self) -> Voice:
        """The voice that it speaks."""

    def synthesize(
        self, requests: Sequence[SpeechRequest], cancel: Cancellation
    ) -> Iterator[tuple[int, Speech]]:
        """Yield each request's index with its speech, as soon as it is made and in any order.

        Several requests in one call may share their runs. Each sentence is inside the bounds of
        the voice; a longer one is cut by the engine, and its samples joined.
        Raises Cancelled when ``cancel`` is requested, else EngineFailure.
        """

    def warm_up(self) -> None:
        """Run once what the first request would otherwise wait for."""

    def close(self) -> None:
        """Give back memory and files; the engine is not used again."""


class EngineModule(Protocol):
    """What a module named in the registry provides."""

    def load(self, voice: Voice, folder: Path, settings: EngineSettings) -> Engine:
        """Verify the voice's files in ``folder`` and load them.

        Raises EngineFailure: model_missing, model_invalid, out_of_memory.
        """
