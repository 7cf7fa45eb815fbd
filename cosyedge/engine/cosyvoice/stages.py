"""Which graphs are in memory: all of them, or one at a time.

A released graph leaves nothing behind: its session is dropped, collected, and the heap's free
pages are given back to the system.
"""

import ctypes
import gc
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.session import Session, SessionOptions

GRAPHS = (
    "text_encoder",
    "language_model",
    "flow_encoder",
    "regulator",
    "estimator",
    "f0",
    "vocoder",
)
# What stands beside the graphs' files in a resident worker: Python, ONNX Runtime, the caches of
# four pieces decoded together, the activations of a chunk.
RESIDENT_EXTRA_BYTES = 420 << 20
LOADING_THREADS = 2
# The regulator and the F0 predictor: staged or not, they stay until a large graph is loaded.
SMALL_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A verified graph: its files with the size and time that they had when they were verified."""

    path: Path
    stamps: tuple[tuple[Path, int, int], ...]

    @classmethod
    def of(cls, *paths: Path) -> "GraphFile":
        """Note the files; the first is the graph itself."""
        return cls(paths[0], tuple(_stamp(path) for path in paths))

    @property
    def size_bytes(self) -> int:
        """Size of all files."""
        return sum(size for _, size, _ in self.stamps)

    def check(self) -> None:
        """Raise EngineFailure("model_invalid") if a file is not the one that was verified."""
        for stamp in self.stamps:
            if _stamp(stamp[0]) != stamp:
                raise EngineFailure("model_invalid", f"{stamp[0].name} has changed on the disk")


def _stamp(path: Path) -> tuple[Path, int, int]:
    try:
        facts = path.stat()
    except OSError as error:
        raise EngineFailure("model_missing", f"{path.name} is not there") from error
    return path, facts.st_size, facts.st_mtime_ns


class Stages:
    """Loads graphs when they are asked for; if ``staged``, each large one drops the one before."""

    def __init__(
        self, files: Mapping[str, GraphFile], options: SessionOptions, *, staged: bool
    ) -> None:
        self._files = files
        self._options = options
        self.staged = staged
        self._sessions: dict[str, Session] = {}

    def session(self, name: str) -> Session:
        """Return the graph's session, loading it if need be; don't keep it across two stages.

        Raises EngineFailure (model_missing, model_invalid, out_of_memory).
        """
        if name not in self._sessions:
            if self.staged and self._files[name].size_bytes > SMALL_BYTES:
                self.release()
            self._sessions[name] = self._loaded(name)
        return self._sessions[name]

    def fill(self) -> None:
        """Load every graph, two at a time, unless they are staged."""
        if self.staged:
            return
        missing = [name for name in self._files if name not in self._sessions]
        with ThreadPoolExecutor(LOADING_THREADS) as pool:
            loaded = pool.map(self._loaded, missing)
            self._sessions.update(zip(missing, loaded, strict=True))

    def release(self) -> None:
        """Drop every session and give its memory back."""
        if not self._sessions:
            return
        self._sessions.clear()
        gc.collect()
        give_back()

    def _loaded(self, name: str) -> Session:
        self._files[name].check()
        return Session(self._files[name].path, self._options)


def is_staged(wanted: str, cap_bytes: int | None, files: Mapping[str, GraphFile]) -> bool:
    """Decide how to keep graphs: ``auto`` keeps all of them if they fit under the cap."""
    if wanted != "auto":
        return wanted == "staged"
    needed = sum(file.size_bytes for file in files.values()) + RESIDENT_EXTRA_BYTES
    return cap_bytes is not None and cap_bytes < needed


def give_back() -> None:
    """Return the heap's free pages to the system; does nothing where libc has no malloc_trim."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
