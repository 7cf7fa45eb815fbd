"""``cosyedge history`` and ``cosyedge faults``, as processes."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cosyedge.adapters.journal import SqliteJournal
from cosyedge.core.events import Event, EventType, ZoneResult
from tests.journal.material import TEXT, entry


class RealClock:
    """The real clocks."""

    monotonic = staticmethod(time.monotonic)
    wall = staticmethod(time.time)


@pytest.fixture
async def state(tmp_path: Path) -> Path:
    journal = SqliteJournal(tmp_path / "cosyedge" / "journal.sqlite", RealClock())
    zones = {
        "hall": ZoneResult(EventType.FINISHED),
        "attic": ZoneResult(EventType.FAILED, "device_missing"),
    }
    for id in ("first", "second"):
        await journal.accept(entry(id, received_at=time.time()), [])
        await journal.end(id, Event(EventType.PARTIAL, id, "device_missing", zones), [])
    journal.fault_raised("output.attic", "device_missing")
    await journal.close()
    return tmp_path


def cosyedge(state: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cosyedge", *words],
        env={**os.environ, "XDG_STATE_HOME": str(state), "COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )


def test_history_names_topic_zones_and_outcome_but_no_text(state: Path) -> None:
    told = cosyedge(state, "history").stdout
    assert told.index("second") < told.index("first")
    assert "cosyedge/hall/say" in told
    assert "attic (device_missing)" in told
    assert TEXT.decode() not in told


def test_history_as_json_can_be_read_by_programs(state: Path) -> None:
    rows = json.loads(cosyedge(state, "history", "--json", "--limit", "1").stdout)
    assert [(row["id"], row["outcome"], row["class"]) for row in rows] == [
        ("second", "partial", "normal")
    ]
    assert rows[0]["zones"]["attic"] == ["failed", "device_missing"]


@pytest.mark.parametrize(
    ("since", "count"), [("1h", 2), ("2w", 2), ("2099-01-01", 0), ("2020-01-01T08:00", 2)]
)
def test_history_since(state: Path, since: str, count: int) -> None:
    assert len(json.loads(cosyedge(state, "history", "--since", since, "--json").stdout)) == count


def test_since_that_is_no_time_is_a_usage_error(state: Path) -> None:
    done = cosyedge(state, "history", "--since", "yesterday")
    assert done.returncode == 2
    assert "'yesterday' is no time" in done.stderr


@pytest.mark.parametrize("which", ["1", "output.attic", "all"])
def test_a_fault_is_told_with_its_mend_and_acknowledged(state: Path, which: str) -> None:
    assert "cosyedge doctor" in cosyedge(state, "faults").stdout
    assert cosyedge(state, "faults", "--ack", which).stdout == "1 acknowledged\n"
    (fault,) = json.loads(cosyedge(state, "faults", "--json").stdout)
    assert fault["acknowledged"] is not None
    assert cosyedge(state, "faults", "--ack", which).stdout == "0 acknowledged\n"


def test_what_was_acknowledged_is_told_to_programs_too(state: Path) -> None:
    done = cosyedge(state, "faults", "--ack", "all", "--json")
    assert [fault["name"] for fault in json.loads(done.stdout)] == ["output.attic"]


@pytest.mark.parametrize("which", ["77", "nobody", "", "-1", "²", "9" * 30])
def test_a_fault_that_is_not_there_is_not_acknowledged(state: Path, which: str) -> None:
    done = cosyedge(state, "faults", "--ack", which)
    assert done.returncode == 2
    assert "there is no fault" in done.stderr


def test_acknowledging_nothing_leaves_the_file_as_it_is(state: Path) -> None:
    cosyedge(state, "faults", "--ack", "all")
    path = state / "cosyedge" / "journal.sqlite"
    SqliteJournal(path, RealClock()).close_now()
    digest = path.with_name("journal.sqlite.sha256")
    before = digest.read_bytes()
    assert cosyedge(state, "faults", "--ack", "all").stdout == "0 acknowledged\n"
    assert digest.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "told"), [(b"", "holds nothing yet"), (b"junk" * 3000, "not a database")]
)
def test_a_file_that_is_no_journal_is_said_in_one_line(
    tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "cosyedge" / "journal.sqlite"
    path.parent.mkdir()
    path.write_bytes(content)
    for verb in ("history", "faults"):
        done = cosyedge(tmp_path, verb)
        assert done.returncode == 1
        assert told in done.stderr
        assert done.stderr.count("\n") == 1


def test_without_a_journal_it_is_said_in_one_line(tmp_path: Path) -> None:
    done = cosyedge(tmp_path, "history")
    assert done.returncode == 1
    assert "no journal" in done.stderr
    assert done.stderr.count("\n") == 1
