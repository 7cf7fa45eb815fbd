"""The hyperparameters of a model folder: cosyvoice.yaml read as plain data.

The file is written for HyperPyYAML, whose ``!new:``, ``!name:`` and ``!apply:`` tags construct and
call. Here a tag is dropped and what it stands before is kept as data; nothing is looked up.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cosyedge.core.errors import SettingsError

FILE_MAX_BYTES = 1 << 20
REFERENCE = re.compile(r"<(\w+)>")


class _PlainLoader(yaml.SafeLoader):
    """A loader of plain data; anchors are refused, since aliases may unfold without bound."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not known here")
        return super().compose_node(parent, index)


def _untagged(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]


_PlainLoader.add_multi_constructor("!", _untagged)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The file as data, read by dotted paths; references such as ``<sample_rate>`` are resolved."""

    path: Path
    document: Mapping[str, Any]

    def number(self, key: str, default: float | None = None) -> float:
        """Read a number at a dotted path; raises SettingsError("model_invalid") naming it."""
        value = self._find(key)
        if value is None and default is not None:
            return default
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key)
        if not math.isfinite(value):
            raise self._wrong(key)
        return value

    def count(self, key: str, default: int | None = None) -> int:
        """Read a positive whole number."""
        value = self.number(key, default)
        if value != int(value) or not 0 < value < 1 << 31:
            raise self._wrong(key)
        return int(value)

    def word(self, key: str, default: str) -> str:
        """Read a word."""
        value = self._find(key)
        return default if value is None else str(value)

    def flag(self, key: str) -> bool:
        """Read a claim that is false where it is not made."""
        return self._find(key) is True

    def counts(self, key: str, default: Any) -> Any:
        """Read a list of positive whole numbers, or a list of such lists, as tuples."""
        value = self._find(key)
        return self._frozen(key, default if value is None else value)

    def _frozen(self, key: str, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return tuple(self._frozen(key, item) for item in value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 31:
            raise self._wrong(key)
        return value

    def _find(self, key: str) -> Any:
        value: Any = self.document
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        for _ in range(8):
            found = REFERENCE.fullmatch(value) if isinstance(value, str) else None
            if found is None:
                return value
            value = self.document.get(found[1])
        raise self._wrong(key)

    def _wrong(self, key: str) -> SettingsError:
        return SettingsError("model_invalid", f"{self.path.name}: {key} is missing or wrong")


def read_recipe(path: Path) -> Recipe:
    """Read cosyvoice.yaml; raises SettingsError("model_missing" or "model_invalid")."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SettingsError("model_missing", f"{path} does not exist") from None
    if len(data) > FILE_MAX_BYTES:
        raise SettingsError("model_invalid", f"{path.name}: larger than 1 MB")
    try:
        document = yaml.load(data, _PlainLoader)  # noqa: S506 (a SafeLoader that knows no objects)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise SettingsError("model_invalid", f"{path.name}: not plain YAML ({error})") from error
    if not isinstance(document, dict):
        raise SettingsError("model_invalid", f"{path.name}: not a mapping")
    return Recipe(path, document)


def _parsed(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
