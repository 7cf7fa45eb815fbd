"""The configuration's keys as a list, read from the models: what the reference pages print."""

import enum
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from cosyedge.config.settings import Settings
from cosyedge.config.shape import item_of_list, key_of, members, models_in, value_of_table

EXAMPLE_TABLES: dict[str, dict[str, str]] = {
    "zones": {"ZoneSettings": "kitchen"},
    "outputs": {
        "MqttOutputSettings": "broker",
        "PlayerOutputSettings": "speaker",
        "FileOutputSettings": "files",
        "NullOutputSettings": "nothing",
    },
}
FREE_TABLES: dict[str, list[tuple[str, str | list[str]]]] = {
    "groups": [("downstairs", ["kitchen"])],
    "templates.line_stopped": [
        ("en", "Line {line} has stopped."),
        ("zh", "{line}号线已停止。"),
    ],
}
ABOUT = {
    "groups": "Groups of zones by name, for `zone` in announcements.",
    "templates": "Texts with slots, by name and language.",
    "phrases": "Phrases that are synthesized at idle and never leave the cache.",
    "schedule": "What the box says by its own clock, also without a broker.",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One key: ``live`` where it has a default that the file can show.

    ``example`` is None where the key is only an alternative to another one.
    """

    key: str
    kind: str
    default: Any
    example: Any
    live: bool
    description: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file; ``free`` ones are examples, the others are the daemon's."""

    header: str
    about: str
    entries: tuple[Entry, ...]
    free: bool


def tables() -> Iterator[Table]:
    """Yield every table in the order of the file."""
    for name, field in Settings.model_fields.items():
        section = models_in(field.annotation)
        if section:
            yield from _section(name, section[0], free=False)
        elif item_of_list(field.annotation) is not None:
            (model,) = models_in(item_of_list(field.annotation))
            yield Table(f"[[{name}]]", ABOUT[name], _entries(model), free=True)
        elif name in EXAMPLE_TABLES:
            for model in models_in(value_of_table(field.annotation)):
                yield from _section(f"{name}.{EXAMPLE_TABLES[name][model.__name__]}", model, True)
        else:
            yield from _free_table(name)


def _free_table(name: str) -> Iterator[Table]:
    for header, rows in FREE_TABLES.items():
        if header.split(".")[0] == name:
            entries = tuple(Entry(key, "", None, value, False, "") for key, value in rows)
            yield Table(f"[{header}]", ABOUT[name], entries, free=True)


def _section(path: str, model: type[BaseModel], free: bool) -> Iterator[Table]:
    entries = _entries(model)
    if entries:
        yield Table(f"[{path}]", (model.__doc__ or "").split("\n")[0], entries, free)
    for name, field in model.model_fields.items():
        for below in models_in(field.annotation):
            optional = free or field.default is None
            yield from _section(f"{path}.{key_of(name, field)}", below, optional)
        for below in models_in(item_of_list(field.annotation)):
            about = field.description or ""
            yield Table(f"[[{path}.{key_of(name, field)}]]", about, _entries(below), free=True)


def _entries(model: type[BaseModel]) -> tuple[Entry, ...]:
    return tuple(
        _entry(key_of(name, field), field)
        for name, field in model.model_fields.items()
        if not models_in(field.annotation) and not models_in(item_of_list(field.annotation))
    )


def _entry(key: str, field: FieldInfo) -> Entry:
    default = field.default
    # An inline table could not be continued by [a.table.of.its.own], so it is an example only.
    live = default not in (None, PydanticUndefined)
    example = field.examples[0] if field.examples else (default if live else None)
    if value_of_table(field.annotation) is not None and example is None:
        example = {}
    return Entry(
        key, _kind(field), default if live else None, example, live, field.description or ""
    )


def _kind(field: FieldInfo) -> str:
    words = " or ".join(dict.fromkeys(_word(member) for member in members(field.annotation)))
    bounds = {
        name: getattr(mark, name)
        for mark in field.metadata
        for name in ("gt", "ge", "le")
        if getattr(mark, name, None) is not None
    }
    low = f"> {bounds['gt']}" if "gt" in bounds else bounds.get("ge")
    return f"{words}, {low} to {bounds['le']}" if "le" in bounds else words


def _word(member: Any) -> str:
    if get_origin(member) is Literal:
        return ", ".join(get_args(member))
    if isinstance(member, type) and issubclass(member, enum.Enum):
        return ", ".join(str(item.value) for item in member)
    if get_origin(member) is dict:
        return "table"
    if get_origin(member) is tuple:
        inner = " or ".join(_word(item) for item in members(get_args(member)[0]))
        return f"list of {inner}"
    names = {int: "whole number", float: "number", bool: "true or false", str: "text"}
    return names.get(member, getattr(member, "__name__", "text").lower().replace("posix", ""))


def toml_value(value: Any) -> str:
    """Write a value as TOML; JSON's form does for all that the reference holds."""
    if isinstance(value, dict):
        inner = ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)
