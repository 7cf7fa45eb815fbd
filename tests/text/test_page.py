"""docs/text.md shows what the code says today."""

from pathlib import Path

from tests.text.page import PAGE, main


def test_the_table_of_kinds_is_fresh() -> None:
    assert main(["--check"]) == 0


def test_a_stale_table_is_told(tmp_path: Path) -> None:
    stale = tmp_path / "text.md"
    stale.write_text(PAGE.read_text("utf-8").replace("| temperature |", "| heat |"), "utf-8")
    assert main(["--check"], stale) == 1
    assert main([], stale) == 0
    assert stale.read_text("utf-8") == PAGE.read_text("utf-8")
