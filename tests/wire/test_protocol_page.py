"""docs/protocol.md against the topics and the models."""

import re
from pathlib import Path

import pytest

from cosyedge.core.events import EventType
from cosyedge.service.live import KINDS
from cosyedge.wire.protocol_page import PAGE, TABLES, main
from cosyedge.wire.topics import ROUTES

TEXT = PAGE.read_text("utf-8")


def test_tables_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_stale_page_is_told_and_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "protocol.md"
    page.write_text(TEXT.replace("| `ttl` |", "| `tll` |"), "utf-8")
    assert main(["--check"], page) == 1
    assert "out of date" in capsys.readouterr().err
    assert main([], page) == 0
    assert page.read_text("utf-8") == TEXT


def test_every_topic_event_and_setting_is_named() -> None:
    for route in ROUTES:
        assert route.path.replace("{", "<").replace("}", ">") in TEXT
    for name in (*EventType, *KINDS):
        assert re.search(rf"\b{name}\b", TEXT)


def test_no_table_is_empty() -> None:
    for name, table in TABLES.items():
        assert len(table().splitlines()) > 2, name
