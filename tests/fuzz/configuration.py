"""Configuration files and variables: each loads, or is refused in one line that says where."""

import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from cosyedge.config import Settings, load_settings
from cosyedge.core.errors import SettingsError
from tests.fuzz.feeding import Feed, mutated

EXAMPLE = re.compile(r"^#(?=\[|[a-z_]+ = )", re.MULTILINE)
SECTION = re.compile(r"^(?=\[)", re.MULTILINE)
VALUES = (
    "true", "0", "-1", "1e999", "nan", "inf", "9" * 400, "0x1F", "1979-05-27", "07:32:00", '""',
    '"x"', '"hall"', '"\\u0000"', '"\\u202e"', '"\\ud800"', '"../../etc/passwd"', "[]", "[[]]",
    '["a", 1]', "{}", '{ a = { b = "c" } }', "[" * 400, "'''", '"mqtt://u:p@host"', '"auto"',
    '"0 7 * * 1-5"', '"99 99 * * *"', '["kitchen", "kitchen"]', '"' + "a" * 5000 + '"',
)  # fmt: skip
KEYS = ("x", '""', '"a b"', '"\\u0000"', "host", "zones.hall.volume", "kind", "a.b.c", "__class__")
PIECES = (b"[", b"]", b"=", b'"', b"'''", b"\xff", b"\0", b"[[zones]]\n", b"[mqtt]\n", b"#", b"\r")
VARIABLES = (
    "MQTT__PORT", "MQTT__HOST", "MQTT__TLS__ENABLED", "ZONES__HALL__VOLUME", "ZONES__HALL__OUTPUTS",
    "OUTPUTS__A__KIND", "PHRASES", "SCHEDULE", "NODE__NAME", "MQTT__PASSWORD", "GROUPS", "QUEUE",
    "MQTT", "MQTT__PORT__X", "", "__", "X", "ZONES__", "PATHS__STATE_DIR", "TEXT__LEXICON__EN",
)  # fmt: skip


@cache
def _sections() -> list[str]:
    """The parts of the reference file, its examples made real."""
    file = Path(__file__).parents[2] / "config" / "cosyedge.toml"
    return SECTION.split(EXAMPLE.sub("", file.read_text("utf-8")))[1:]


def make_feed(folder: Path) -> Feed:
    """Feed files in ``folder``, sometimes with a variable beside them."""
    path = folder / "cosyedge.toml"

    def feed(dice: random.Random) -> str:
        path.write_bytes(_document(dice))
        with _variable(dice) as name:
            try:
                settings = load_settings(path)
            except SettingsError as refusal:
                _check(refusal, path, name)
                return "refused"
        assert isinstance(settings, Settings)
        return "loaded"

    return feed


def _check(refusal: SettingsError, path: Path, variable: str | None) -> None:
    """One line, which begins with where to look."""
    told = str(refusal)
    assert "\n" not in told, told
    assert len(told) < 500 + len(str(path)), told
    places = [str(path), "the environment", *([variable] if variable else []), "mqtt."]
    assert any(told.startswith(place) for place in places), told


def _document(dice: random.Random) -> bytes:
    if dice.random() < 0.05:
        return dice.randbytes(dice.randrange(300))
    parts = dice.sample(_sections(), dice.randint(1, 4))
    lines = [line for line in "".join(parts).splitlines() if line and not line.startswith("#")]
    for _ in range(dice.randint(0, 3)):
        _change_line(lines, dice)
    data = "\n".join(lines).encode()
    return mutated(data, dice, PIECES) if dice.random() < 0.4 else data


def _change_line(lines: list[str], dice: random.Random) -> None:
    at = dice.randrange(len(lines)) if lines else 0
    key, equals, value = lines[at].partition(" = ") if lines else ("x", " = ", "1")
    match dice.randrange(5):
        case 0:
            lines[at : at + 1] = [f"{key} = {dice.choice(VALUES)}"]
        case 1:
            lines[at : at + 1] = [f"{dice.choice(KEYS)}{equals}{value}"]
        case 2:
            lines.insert(at, dice.choice(lines) if lines else "")
        case 3:
            del lines[at : at + 1]
        case _:
            lines.insert(at, f"{dice.choice(KEYS)} = {dice.choice(VALUES)}")


@contextmanager
def _variable(dice: random.Random) -> Iterator[str | None]:
    """Now and then a variable of ours in the environment."""
    if dice.random() < 0.8:
        yield None
        return
    name = "COSYEDGE_" + dice.choice(VARIABLES)
    value = dice.choice(VALUES).replace("\0", "")
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield name
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
