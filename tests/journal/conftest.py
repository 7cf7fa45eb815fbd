"""What the journal's tests share: a clock that only tests move, and a file."""

from pathlib import Path

import pytest

from tests.journal.material import SteadyClock


@pytest.fixture
def clock() -> SteadyClock:
    return SteadyClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.db"
