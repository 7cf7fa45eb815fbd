"""The announcement: plain text or JSON, strict types, refusals that name the field."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.announcement import CacheUse, Interrupt, Repetition, Resume, Routing
from cosyedge.core.errors import Refusal
from cosyedge.wire.json_reader import ReadingLimits
from cosyedge.wire.models import MAX_WARNINGS
from cosyedge.wire.say import NOT_SUPPORTED_YET, SayRequest, parse_say

LIMITS = ReadingLimits()


def say(**members: Any) -> SayRequest:
    return parse_say(json.dumps({"text": "hello"} | members).encode(), LIMITS).request


def refused(payload: bytes) -> tuple[str, str | None]:
    with pytest.raises(Refusal) as caught:
        parse_say(payload, LIMITS)
    return caught.value.code, caught.value.field


@pytest.mark.parametrize(
    "text",
    [
        "The front door opened.",
        "你好。",
        '"quoted"',
        "null",
        "[1]",
        "a < b & c",
        "tab\there\x00\x1b[0m",
    ],
)
def test_plain_text_is_the_text_itself(text: str) -> None:
    message = parse_say(text.encode(), LIMITS)
    assert message.request == SayRequest(text=text)
    assert message.warnings == ()


def test_defaults_are_those_of_the_contract() -> None:
    request = say()
    assert (request.speed, request.interrupt, request.resume) == (1, "lower", "sentence")
    assert (request.routing, request.cache, request.replace) == ("stacked", "use", True)
    assert (request.markup, request.inline, request.repetition) == ("none", False, Repetition())
    assert (request.zones, request.volume_factor, request.gain_db) == ((), 1.0, 0.0)


def test_every_key_is_read() -> None:
    request = say(
        id="a.B_1:2-3", lang="zh-CN", voice="hibari", speaker="f1", speed=1.5, priority=255,
        interrupt="always", zone=["k", "hall", "k"], volume="+3dB", chime="gong",
        end_chime="gong", repeat=3, repeat_interval=2.5, until_ack=True, max_duration=30,
        ttl=20, resume="drop", routing="partial", coalesce_key="door", replace=False,
        markup="ssml", inline=True, cache="pin", format="opus", rate=24000, chunk_bytes=4096,
        reply_to="answers/1", source="kitchen tablet", tags=["a", "b"], **{"class": "high"},
    )  # fmt: skip
    assert request.zones == ("k", "hall")
    assert request.gain_db == 3.0
    assert (request.interrupt, request.resume) == (Interrupt.ALWAYS, Resume.DROP)
    assert (request.routing, request.cache) == (Routing.PARTIAL, CacheUse.PIN)
    assert request.repetition == Repetition(3, 2.5, until_ack=True)
    assert request.voice_choice.speaker == "f1"
    assert request.rendering.rate_hz == 24000
    assert request.class_name == "high"


@pytest.mark.parametrize(
    ("volume", "factor", "gain_db"),
    [(0.5, 0.5, 0), (1, 1, 0), (0, 0, 0), ("+3dB", 1, 3), ("-10.5 dB", 1, -10.5)],
)
def test_volume_is_a_factor_or_a_change(volume: Any, factor: float, gain_db: float) -> None:
    request = say(volume=volume)
    assert (request.volume_factor, request.gain_db) == (factor, gain_db)


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"text": 5}, "wrong_type"),
        ({"text": None}, "wrong_type"),
        ({"text": ["a"]}, "wrong_type"),
        ({"texts": "a"}, "wrong_type"),
        ({"speed": True}, "wrong_type"),
        ({"speed": "1"}, "wrong_type"),
        ({"speed": 0.4}, "invalid_value"),
        ({"priority": True}, "wrong_type"),
        ({"priority": 1.5}, "wrong_type"),
        ({"priority": -1}, "invalid_value"),
        ({"priority": 256}, "invalid_value"),
        ({"class": "loud"}, "invalid_value"),
        ({"class": 5}, "wrong_type"),
        ({"interrupt": "maybe"}, "invalid_value"),
        ({"interrupt": 1}, "wrong_type"),
        ({"zone": 5}, "wrong_type"),
        ({"zone": []}, "invalid_value"),
        ({"zone": ["a", 5]}, "wrong_type"),
        ({"volume": True}, "wrong_type"),
        ({"volume": 1.1}, "invalid_value"),
        ({"volume": "loud"}, "invalid_value"),
        ({"repeat": 0}, "invalid_value"),
        ({"repeat": "2"}, "wrong_type"),
        ({"until_ack": 1}, "wrong_type"),
        ({"replace": "yes"}, "wrong_type"),
        ({"ttl": 0}, "invalid_value"),
        ({"ttl": "5"}, "wrong_type"),
        ({"id": "a b"}, "invalid_value"),
        ({"id": "a/b"}, "invalid_value"),
        ({"id": "x" * 65}, "invalid_value"),
        ({"id": "a\n"}, "invalid_value"),
        ({"id": 5}, "wrong_type"),
        ({"voice": "../etc/passwd"}, "invalid_value"),
        ({"media": "a/b"}, "invalid_value"),
        ({"lang": "e"}, "invalid_value"),
        ({"format": "aiff"}, "invalid_value"),
        ({"rate": 4000}, "invalid_value"),
        ({"chunk_bytes": 1}, "invalid_value"),
        ({"markup": "html"}, "invalid_value"),
        ({"tags": "a"}, "wrong_type"),
        ({"tags": ["a"] * 17}, "invalid_value"),
        ({"slots": {"a": True}}, "wrong_type"),
    ],
)
def test_a_wrong_value_is_refused_and_named(members: dict[str, Any], code: str) -> None:
    payload = json.dumps({"text": "hello"} | members).encode()
    assert refused(payload) == (code, next(iter(members)))


def test_null_leaves_an_optional_key_out() -> None:
    assert say(lang=None, zone=None, ttl=None) == say()


@pytest.mark.parametrize("payload", [b"", b"  \n", b"{}", b'{"text": ""}', b'{"id": "a"}'])
def test_no_words_are_refused(payload: bytes) -> None:
    assert refused(payload) == ("empty_text", "text")


def test_media_texts_and_templates_stand_for_text() -> None:
    for words in (
        {"media": "gong"},
        {"texts": {"zh": "你好", "en": "Hello"}},
        {"template": "line_stopped", "slots": {"line": 3, "why": "jam"}},
    ):
        request = parse_say(json.dumps(words).encode(), LIMITS).request
        assert request.text is None
    texts = parse_say('{"texts": {"zh": "你", "en": "Hi"}}'.encode(), LIMITS).request.texts
    assert list(texts or {}) == ["zh", "en"]


def test_two_kinds_of_words_exclude_each_other() -> None:
    assert refused(b'{"text": "a", "texts": {"en": "b"}}') == ("invalid_value", "texts")
    assert refused(b'{"text": "a", "template": "b"}') == ("invalid_value", "template")


def test_an_unknown_key_is_a_warning() -> None:
    message = parse_say(b'{"text": "a", "colour": "red", "\\u001bx": 1}', LIMITS)
    assert message.warnings == ("unknown_key:colour", "unknown_key:?x")


def test_warnings_are_bounded() -> None:
    members = {f"k{n}": 1 for n in range(200)} | {"text": "a"}
    assert len(parse_say(json.dumps(members).encode(), LIMITS).warnings) == MAX_WARNINGS


@pytest.mark.parametrize("key", sorted(NOT_SUPPORTED_YET))
def test_a_key_that_is_not_acted_on_is_a_warning(key: str) -> None:
    value: Any = True if key == "inline" else "gong"
    message = parse_say(json.dumps({"text": "a", key: value}).encode(), LIMITS)
    assert message.warnings == (f"not_supported_yet:{key}",)


def test_a_broken_object_is_not_read_out() -> None:
    assert refused(b'{"text": "hello"')[0] == "not_json"
    assert refused(b'  {"text": "hello"')[0] == "not_json"


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_payload_is_read_or_refused(payload: bytes) -> None:
    with suppress(Refusal):
        parse_say(payload, LIMITS)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
keys = st.sampled_from([f.alias or n for n, f in SayRequest.model_fields.items()])


@given(st.dictionaries(keys, json_values, max_size=6))
def test_any_members_are_read_or_refused(members: dict[str, Any]) -> None:
    with suppress(Refusal):
        parse_say(json.dumps(members).encode(), LIMITS)
