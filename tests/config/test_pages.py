"""The reference pages against the models, both ways."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cosyedge.config import load_settings
from cosyedge.config.pages import PAGES, ROOT, main
from cosyedge.config.reference import tables
from cosyedge.config.settings import Settings
from cosyedge.config.shape import fields_in, item_of_list, models_in, value_of_table

FILE = ROOT / "config" / "cosyedge.toml"
EXAMPLE = re.compile(r"^#(?=\[|[a-z_]+ = )", re.MULTILINE)
ALTERNATIVE = re.compile(r"^# ([a-z_]+): ", re.MULTILINE)


def example_text(directory: Path) -> str:
    """Uncomment every example; the files it names are made."""
    text = EXAMPLE.sub("", FILE.read_text("utf-8")).replace("enabled = false", "enabled = true")
    for name in ("ca.crt", "node.crt", "node.key", "mqtt_password"):
        (directory / name).write_text("secret")
        (directory / name).chmod(0o600)
        text = text.replace(f"/etc/cosyedge/{name}", str(directory / name))
    return text


def documented_keys(value: Any, path: str = "") -> set[str]:
    """Name every key of a parsed document, lists by their first item."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return documented_keys(value[0], path)
    if not isinstance(value, dict):
        return {path}
    inner = (documented_keys(item, f"{path}.{key}" if path else key) for key, item in value.items())
    return set().union(*inner)


def model_keys(annotation: Any, path: str = "") -> set[str]:
    """Name every key of the models below ``annotation``; free tables are left out."""
    found: set[str] = set()
    for key, field in fields_in(annotation).items():
        below = f"{path}.{key}" if path else key
        inner = item_of_list(field.annotation) or field.annotation
        if models_in(inner):
            found |= model_keys(inner, below)
        elif value_of_table(field.annotation) is None:
            found.add(below)
    return found


def test_the_file_states_exactly_the_defaults() -> None:
    document = tomllib.loads(FILE.read_text("utf-8"))
    assert Settings(**document) == Settings()


def test_every_example_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "cosyedge.toml"
    path.write_text(example_text(tmp_path))
    settings = load_settings(path)
    assert settings.zones["kitchen"].before
    assert {output.kind for output in settings.outputs.values()} == {
        "mqtt",
        "player",
        "file",
        "null",
    }
    assert settings.schedule
    assert settings.phrases


def test_the_file_holds_every_key_of_the_models(tmp_path: Path) -> None:
    documented = documented_keys(tomllib.loads(example_text(tmp_path)))
    alternatives = set(ALTERNATIVE.findall(FILE.read_text("utf-8")))
    missing = {
        key
        for key in model_keys(Settings) - documented
        if key.rsplit(".", 1)[-1] not in alternatives
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("table", "example"),
    [("zones", "kitchen"), ("outputs", "speaker"), ("outputs", "files"), ("outputs", "broker")],
)
def test_the_file_holds_every_key_of_named_tables(table: str, example: str, tmp_path: Path) -> None:
    documented = tomllib.loads(example_text(tmp_path))[table][example]
    value = value_of_table(Settings.model_fields[table].annotation)
    known = {
        frozenset(model.model_fields)
        for model in models_in(value)
        if documented.get("kind") in (None, getattr(model.model_fields.get("kind"), "default", 0))
    }
    assert frozenset(documented) in known


def test_every_line_of_the_file_is_comment_table_or_key() -> None:
    for line in FILE.read_text("utf-8").splitlines():
        assert re.match(r"^($|# |#$|#?\[|#?[a-z_]+ = )", line), line


def test_pages_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_page_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"], tmp_path) == 1
    told = capsys.readouterr().err
    assert all(name in told for name in PAGES)


def test_no_setting_is_without_effect() -> None:
    package = ROOT / "cosyedge"
    readers = [*package.glob("daemon/*.py"), *package.glob("config/*.py")]
    code = "\n".join(path.read_text("utf-8") for path in readers)
    keys = {entry.key for table in tables() for entry in table.entries if entry.kind}
    names = {"class": "class_"}
    unread = {key for key in keys if not re.search(rf"\.{names.get(key, key)}\b", code)}
    assert unread <= {"kind"}  # pydantic itself reads it
