"""ONNX Runtime reports nothing to anybody."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine import graphs

PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from cosyedge.engine.session import Session, SessionOptions

session = Session(Path(sys.argv[1]), SessionOptions())
for _ in range(5):
    session.run({"x": np.zeros(4, np.float32)})
"""


def _run(tmp_path: Path, *wrapper: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
    model = graphs.save_doubler(tmp_path / "m.onnx")
    home = tmp_path / "home"
    home.mkdir()
    # "0" asks for telemetry: a default would leave it standing.
    environment = {**os.environ, "HOME": str(home), "ORT_DISABLE_TELEMETRY": "0"}
    environment.pop("XDG_CACHE_HOME", None)
    ran = subprocess.run(
        [*wrapper, sys.executable, "-c", PROGRAM, str(model)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return home, ran


def test_a_session_writes_nothing_into_the_home(tmp_path: Path) -> None:
    home, _ = _run(tmp_path)
    assert [str(path) for path in home.rglob("*")] == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_session_opens_no_internet_socket(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    _run(tmp_path, "strace", "-f", "-e", "trace=socket,connect", "-o", str(trace))
    calls = trace.read_text()
    assert "exited with 0" in calls
    assert "AF_INET" not in calls
