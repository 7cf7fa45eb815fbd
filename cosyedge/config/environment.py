"""The environment's part of the configuration: COSYEDGE_<SECTION>__<KEY>."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cosyedge.config.settings import ENV_PREFIX, Settings
from cosyedge.config.shape import fields_in, step, value_of_table
from cosyedge.core.errors import SettingsError


def check_environment(environ: Mapping[str, str]) -> None:
    """Raise SettingsError for the first COSYEDGE_ variable that names no key.

    pydantic-settings passes over such a variable in silence.
    """
    for name in sorted(variables(environ)):
        complaint = _complaint(name)
        if complaint is not None:
            raise SettingsError("settings", complaint, field=name)


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Pick the variables that are meant for us."""
    return {name: value for name, value in environ.items() if name.upper().startswith(ENV_PREFIX)}


def key_path(variable: str) -> list[str]:
    """Give the keys that a variable names: COSYEDGE_MQTT__PORT is mqtt, port."""
    return variable[len(ENV_PREFIX) :].lower().split("__")


def variable_of(path: tuple[str | int, ...]) -> str:
    """Give the variable that sets the key at ``path``."""
    return ENV_PREFIX + "__".join(str(key) for key in path).upper()


def _complaint(name: str) -> str | None:
    """Say what is wrong with a variable's name; None where it names a key."""
    path = key_path(name)
    annotation: Any = Settings
    for depth, key in enumerate(path):
        below = step(annotation, key) if key else None
        if below is None:
            return f"{name}: {_reason(path, depth, fields_in(annotation))}"
        annotation = below
    return None


def _reason(path: list[str], depth: int, siblings: Iterable[str]) -> str:
    if "password" in path[-1]:
        return "a secret is read from a file only; use COSYEDGE_MQTT__PASSWORD_FILE"
    if len(path) == 1:
        candidates = {name: name for name in _variables(Settings, ())}
        wanted = variable_of(tuple(path))
    else:
        candidates = {key: variable_of((*path[:depth], key)) for key in siblings}
        wanted = path[depth]
    close = difflib.get_close_matches(wanted, candidates, 1)
    hint = f"; did you mean {candidates[close[0]]}?" if close else ""
    if depth == 0 and len(path) > 1:
        return f"there is no section {path[0]!r}{hint}"
    return f"there is no such setting{hint}"


def _variables(annotation: Any, path: tuple[str, ...]) -> Iterator[str]:
    for key, field in fields_in(annotation).items():
        below = (*path, key)
        yield variable_of(below)
        if value_of_table(field.annotation) is None:
            yield from _variables(field.annotation, below)
