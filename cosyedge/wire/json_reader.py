"""Read JSON more strictly than Python does, in linear time, and name the field at fault.

Python's own reader takes NaN, duplicate keys, UTF-16, lone surrogates and integers of any
length, and 100,000 nested brackets raise RecursionError.
"""

import json
import re
from dataclasses import dataclass
from math import isinf
from typing import Any, Final

from cosyedge.core.errors import Refusal

MAX_DIGITS = 32
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Bounds that hold before anything is parsed."""

    payload_bytes: int = 16384
    depth: int = 8


class _Unusable:
    """Stands for a number that no field may hold, until its key is known."""


_UNUSABLE: Final = _Unusable()


def decode(payload: bytes, limits: ReadingLimits) -> str:
    """Decode UTF-8, without a byte order mark. Raises Refusal: too_large, invalid_utf8."""
    if len(payload) > limits.payload_bytes:
        raise Refusal("too_large", f"the payload exceeds {limits.payload_bytes} bytes")
    try:
        return payload.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Refusal("invalid_utf8", f"byte {error.start} is not UTF-8") from error


def looks_like_json(text: str) -> bool:
    """Whether the payload is meant as a JSON object rather than as words."""
    return text.lstrip(" \t\r\n").startswith("{")


def read(text: str, limits: ReadingLimits) -> Any:
    """Parse any JSON value.

    Raises Refusal: too_deep, not_json (with a hint), duplicate_key, invalid_value,
    invalid_utf8.
    """
    _check_depth(text, limits.depth)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        hint = f"{error.msg} at character {error.pos}; plain text must not begin with a brace"
        raise Refusal("not_json", hint) from error
    _check_value("", value)
    return value


def read_object(text: str, limits: ReadingLimits) -> dict[str, Any]:
    """Parse a JSON object; any other value is refused as wrong_type."""
    value = read(text, limits)
    if not isinstance(value, dict):
        raise Refusal("wrong_type", "a JSON object is expected")
    return value


def printable(key: str) -> str:
    """A key as it may stand in an event: at most 32 printable characters."""
    return "".join(char if char.isprintable() else "?" for char in key[:32])


def _check_depth(text: str, most: int) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        char = token[0][0]
        if char in "[{":
            depth += 1
            if depth > most:
                raise Refusal("too_deep", f"nested more than {most} levels deep")
        elif char in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise Refusal("duplicate_key", "the key stands twice", field=printable(key))
        _check_value(key, value)
        members[key] = value
    return members


def _check_value(key: str, value: Any) -> None:
    """Check one member and the members of a list; objects were checked as they were built."""
    if value is _UNUSABLE:
        raise Refusal("invalid_value", "the number cannot be used", field=printable(key) or None)
    if isinstance(value, str):
        _check_surrogates(key, value)
    elif isinstance(value, list):
        for item in value:
            _check_value(key, item)
    if key:
        _check_surrogates(key, key)


def _check_surrogates(key: str, text: str) -> None:
    if _SURROGATE.search(text):
        raise Refusal(
            "invalid_utf8", "half of a surrogate pair stands alone", field=printable(key) or None
        )


def _integer(digits: str) -> int | _Unusable:
    return _UNUSABLE if len(digits) > MAX_DIGITS else int(digits)


def _number(digits: str) -> float | _Unusable:
    if len(digits) > MAX_DIGITS:
        return _UNUSABLE
    value = float(digits)
    return _UNUSABLE if isinf(value) else value


def _constant(_name: str) -> _Unusable:
    """NaN and Infinity, which Python would take."""
    return _UNUSABLE


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
)
