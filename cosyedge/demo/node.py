"""A real node for the demonstration and the benchmarks: `cosyedge run` as a process of its own."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from cosyedge.core.errors import SettingsError

STOP_DEADLINE_S = 15.0
_TOLD_LINES = 5


class Node:
    """A running `cosyedge run`; its log is a file."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        return self._process.pid

    def check(self) -> None:
        """Raise SettingsError with its last words if it has ended."""
        status = self._process.poll()
        if status is not None:
            raise SettingsError("settings", f"the daemon ended with {status}: {self.last_words()}")

    def last_words(self) -> str:
        """Give the end of its log in one line."""
        lines = self._log.read_text("utf-8", "replace").splitlines()
        return " | ".join(lines[-_TOLD_LINES:]) or "it said nothing"


@contextlib.contextmanager
def running_node(directory: Path, environ: Mapping[str, str]) -> Iterator[Node]:
    """Start a node by its environment alone, all its files in ``directory``; end it on leaving."""
    inherited = {name: value for name, value in os.environ.items() if not _is_ours(name)}
    own = {
        "COSYEDGE_PATHS__STATE_DIR": str(directory / "state"),
        "COSYEDGE_PATHS__CACHE_DIR": str(directory / "cache"),
    }
    log = directory / "daemon.log"
    with log.open("wb") as words:
        process = subprocess.Popen(
            [sys.executable, "-m", "cosyedge", "run"],
            env=inherited | own | dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
        )
    try:
        yield Node(process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_ours(name: str) -> bool:
    return name.startswith("COSYEDGE_") or name in ("NOTIFY_SOCKET", "STATE_DIRECTORY")
