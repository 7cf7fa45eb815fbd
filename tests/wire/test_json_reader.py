"""Strict reading: what Python's own reader lets through is refused, and the field is named."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.errors import Refusal
from cosyedge.wire.json_reader import ReadingLimits, decode, looks_like_json, read, read_object

LIMITS = ReadingLimits()

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def _refusal(text: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read(text, LIMITS)
    return caught.value


@given(plain)
def test_what_is_proper_json_is_read_as_python_reads_it(value: object) -> None:
    assert read(json.dumps(value), ReadingLimits(depth=64)) == value


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ('{"ttl": NaN}', "invalid_value", "ttl"),
        ('{"ttl": -Infinity}', "invalid_value", "ttl"),
        ('{"ttl": 1e999}', "invalid_value", "ttl"),
        ('{"n": ' + "1" * 10_000 + "}", "invalid_value", "n"),
        ('{"n": 0.' + "1" * 10_000 + "}", "invalid_value", "n"),
        ('{"list": [1, NaN]}', "invalid_value", "list"),
        ('{"list": [[NaN]]}', "invalid_value", "list"),
        ("NaN", "invalid_value", None),
        ("[NaN]", "invalid_value", None),
        ('{"a": 1, "a": 1}', "duplicate_key", "a"),
        ('{"o": {"b": 1, "b": 2}}', "duplicate_key", "b"),
        (r'{"text": "\ud800"}', "invalid_utf8", "text"),
        (r'{"\udfff": 1}', "invalid_utf8", "?"),
        (r'["\ud800x"]', "invalid_utf8", None),
        ('{"text": "hi"', "not_json", None),
        ("{'text': 'hi'}", "not_json", None),
        ('{"text": "hi",}', "not_json", None),
        ('{"text": "hi"} x', "not_json", None),
        ('{"text": "line\nbreak"}', "not_json", None),
        ('{"text": "', "not_json", None),
        ('{"text": "\\', "not_json", None),
        ("", "not_json", None),
        ("[" * 9 + "]" * 9, "too_deep", None),
        ('{"a":' * 100_000, "too_deep", None),
    ],
)
def test_bad_json_is_refused_with_its_field(text: str, code: str, field: str | None) -> None:
    refusal = _refusal(text)
    assert (refusal.code, refusal.field) == (code, field)


def test_a_surrogate_pair_is_one_character() -> None:
    assert read_object(r'{"text": "\ud83d\ude00"}', LIMITS) == {"text": "😀"}


def test_eight_levels_are_allowed_and_brackets_in_words_are_no_levels() -> None:
    assert read("[" * 8 + "]" * 8, LIMITS)
    assert read_object('{"text": "' + "[{" * 50 + r"\"[{" + '"}', LIMITS)


def test_not_json_gives_a_hint() -> None:
    assert "plain text must not begin with a brace" in str(_refusal("{oops"))


def test_a_key_in_a_refusal_is_short_and_printable() -> None:
    key = "\x1b[31m\u202e" + "x" * 500
    refusal = _refusal(json.dumps({key: 1})[:-1] + ", " + json.dumps(key) + ": 2}")
    assert refusal.field is not None
    assert len(refusal.field) == 32
    assert refusal.field.isprintable()


def test_an_object_is_expected() -> None:
    with pytest.raises(Refusal) as caught:
        read_object("[1]", LIMITS)
    assert caught.value.code == "wrong_type"


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xff\xfehello", "invalid_utf8"),
        ("hello".encode("utf-16"), "invalid_utf8"),
        (b"\xed\xa0\x80", "invalid_utf8"),
        (b"\xc0\xaf", "invalid_utf8"),
        (b"x" * 16385, "too_large"),
    ],
)
def test_bytes_that_are_no_message_are_refused(payload: bytes, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        decode(payload, LIMITS)
    assert caught.value.code == code


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    text = decode(b'\xef\xbb\xbf{"text": "hi"}', LIMITS)
    assert looks_like_json(text)
    assert read_object(text, LIMITS) == {"text": "hi"}


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(payload: bytes) -> None:
    with suppress(Refusal):
        read(decode(payload, LIMITS), LIMITS)


@pytest.mark.parametrize(
    "unit", ['\\"', '"', "\\", "[]", "{}", '"a":', '"\\u0041",', "1,", "[[[[[[[]]]]]]],"]
)
def test_reading_time_grows_no_faster_than_the_payload(unit: str) -> None:
    """Ten times the bytes may take some hundred times as long only if it were quadratic."""

    def cost(size: int) -> float:
        text = '{"a":"' + unit * (size // len(unit))
        best = float("inf")
        for _ in range(3):
            started = time.perf_counter()
            with pytest.raises(Refusal):
                read(text, LIMITS)
            best = min(best, time.perf_counter() - started)
        return best

    assert cost(160_000) < 40 * cost(16_000) + 0.05
