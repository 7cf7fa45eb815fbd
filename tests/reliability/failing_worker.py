"""The real worker with the real voice, which fails at texts that name a failure.

``python -m tests.reliability.failing_worker FOLDER --fd N``. "Failure by kill." fails as often as
the file ``times`` in FOLDER says, over all workers; each failure's monotonic time is a line of
the file ``kill`` there.
"""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice
from cosyedge.engine import hibari
from cosyedge.engine.contract import Cancellation, Engine, EngineSettings
from cosyedge.engine.registry import MODULES
from cosyedge.worker.__main__ import main

RATE_HZ = 24_000
Spoken = Iterator[tuple[int, Speech]]
Speak = Callable[[], Spoken]


def kill(speak: Speak, _: Cancellation) -> Spoken:
    """SIGKILL in the middle of a run."""
    threading.Timer(0.003, os.kill, (os.getpid(), signal.SIGKILL)).start()
    yield from speak()
    time.sleep(60)


def abort(speak: Speak, _: Cancellation) -> Spoken:
    """What a C++ runtime does when it gives up, in the middle of a run."""
    threading.Timer(0.003, os.abort).start()
    yield from speak()
    time.sleep(60)


def freeze(speak: Speak, _: Cancellation) -> Spoken:
    """Every thread stands still."""
    os.kill(os.getpid(), signal.SIGSTOP)
    yield from speak()


def memory(speak: Speak, _: Cancellation) -> Spoken:
    """A run for which the process may not have the memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 20, hard))
    try:
        yield from speak()
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def noise(_: Speak, __: Cancellation) -> Spoken:
    """Samples that are no numbers."""
    yield 0, Speech(np.full(RATE_HZ, np.nan, np.float32), RATE_HZ)


def flood(_: Speak, __: Cancellation) -> Spoken:
    """Two minutes of sound for three words."""
    yield 0, Speech(0.3 * np.sin(np.arange(120 * RATE_HZ, dtype=np.float32) / 20), RATE_HZ)


def dream(_: Speak, cancel: Cancellation) -> Spoken:
    """A generation without an end, which hears its cancel."""
    while True:
        cancel.check()
        time.sleep(0.005)
    yield


def trance(_: Speak, __: Cancellation) -> Spoken:
    """A generation without an end that hears nothing."""
    while True:
        time.sleep(0.005)
    yield


FAILURES = {
    each.__name__: each for each in (kill, abort, freeze, memory, noise, flood, dream, trance)
}


class FailingEngine:
    """The voice, but for the texts that name a failure."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.voice = engine.voice
        self.warm_up, self.close = engine.warm_up, engine.close
        self._engine = engine
        self._folder = folder

    def synthesize(self, requests: Sequence[SpeechRequest], cancel: Cancellation) -> Spoken:
        def speak() -> Spoken:
            return self._engine.synthesize(requests, cancel)

        text = requests[0].spoken
        name = next((each for each in FAILURES if f"by {each}" in text), None)
        if name is None or not self._is_due(name):
            return speak()
        return FAILURES[name](speak, cancel)

    def _is_due(self, name: str) -> bool:
        record = self._folder / name
        failed = record.read_text().splitlines() if record.exists() else []
        if len(failed) >= int((self._folder / "times").read_text()):
            return False
        with record.open("a") as lines:
            lines.write(f"{time.monotonic()}\n")
        return True


def load(voice: Voice, folder: Path, settings: EngineSettings) -> FailingEngine:
    return FailingEngine(hibari.load(voice, folder, settings), Path(os.environ["FAILURES"]))


if __name__ == "__main__":
    MODULES["hibari"] = "tests.reliability.failing_worker"
    os.environ["FAILURES"] = sys.argv.pop(1)
    main()
