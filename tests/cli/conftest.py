"""The command as a process, with nothing of this machine's settings."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def cosyedge(tmp_path: Path) -> Command:
    """Run `cosyedge WORDS` with further environment variables as keywords."""

    def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("COSYEDGE_", "XDG_"))
        }
        own = {"HOME": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "100"}
        return subprocess.run(
            [sys.executable, "-m", "cosyedge", *words],
            env=inherited | own | environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )

    return run


def only_line(ended: subprocess.CompletedProcess[str], status: int) -> str:
    """The one line of an error, without its prefix."""
    assert ended.returncode == status, ended.stderr
    (line,) = ended.stderr.splitlines()
    assert line.startswith("cosyedge: ")
    return line.removeprefix("cosyedge: ")
