"""An environment that holds nothing of this machine's."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _bare_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("COSYEDGE_", "XDG_")) or name.endswith("_DIRECTORY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
