"""docs/announcements.md says what the code does."""

import shutil
from pathlib import Path

import pytest

from cosyedge.core import causes
from cosyedge.core.codes import CODES
from cosyedge.core.events import EventType
from cosyedge.wire.announcement_page import PAGE, main, refresh


def test_page_is_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_stale_page_is_found_and_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "announcements.md"
    shutil.copy(PAGE, page)
    page.write_text(page.read_text("utf-8").replace("| `replaced` |", "| `ousted` |"), "utf-8")
    assert main(["--check"], page) == 1
    assert "out of date" in capsys.readouterr().err
    assert main([], page) == 0
    assert page.read_text("utf-8") == PAGE.read_text("utf-8")


def test_page_without_its_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for classes"):
        refresh("# Announcements\n")


def test_every_reason_is_a_known_code() -> None:
    reasons = {cause.reason for cause in causes.CAUSES} - {None}
    assert reasons <= CODES.keys()


def test_every_event_of_an_announcement_has_a_cause() -> None:
    faults = {EventType.FAULT_RAISED, EventType.FAULT_CLEARED}
    assert {cause.event for cause in causes.CAUSES} == set(EventType) - faults
