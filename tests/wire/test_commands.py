"""All other commands, answers and events."""

import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.errors import Refusal
from cosyedge.core.events import Event, EventType, ZoneResult
from cosyedge.wire.commands import (
    Cancel,
    Chime,
    Prefetch,
    parse_cancel,
    parse_chime,
    parse_prefetch,
    parse_request,
    parse_zone_command,
)
from cosyedge.wire.events import EventContext, EventMessage, encode_event
from cosyedge.wire.json_reader import ReadingLimits
from cosyedge.wire.responses import encode_error, encode_ok
from cosyedge.wire.schema import MODELS, schema

LIMITS = ReadingLimits()
READERS = [
    parse_cancel,
    parse_chime,
    parse_prefetch,
    parse_request,
    parse_zone_command,
]


@pytest.mark.parametrize("reader", READERS)
@given(payload=st.binary(max_size=100) | st.text(max_size=50).map(str.encode))
def test_any_payload_is_read_or_refused(reader, payload: bytes) -> None:  # type: ignore[no-untyped-def]
    with suppress(Refusal):
        reader(payload, LIMITS)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"all", Cancel(all=True)),
        (b'{"all": true}', Cancel(all=True)),
        (b"door-1", Cancel(id="door-1")),
        (b'{"id": "a"}', Cancel(id="a")),
        (b'{"zone": "k"}', Cancel(zone="k")),
    ],
)
def test_cancel_names_what_it_ends(payload: bytes, expected: Cancel) -> None:
    assert parse_cancel(payload, LIMITS) == expected


@pytest.mark.parametrize("payload", [b"{}", b'{"all": false}', b"", b" \n"])
def test_cancel_of_nothing_is_refused(payload: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        parse_cancel(payload, LIMITS)
    assert caught.value.code == "invalid_value"


def test_cancel_by_class() -> None:
    assert parse_cancel(b'{"class": "low"}', LIMITS).class_name == "low"


@pytest.mark.parametrize(
    ("payload", "zone"), [(b"", None), (b"{}", None), (b"k", "k"), (b'{"zone": "k"}', "k")]
)
def test_a_zone_command_takes_a_zone_or_none(payload: bytes, zone: str | None) -> None:
    assert parse_zone_command(payload, LIMITS).zone == zone


def test_prefetch_takes_a_list_or_an_object() -> None:
    assert parse_prefetch(b'["a", "b"]', LIMITS) == Prefetch(texts=["a", "b"])
    pinned = parse_prefetch(b'{"texts": ["a"], "pin": true}', LIMITS)
    assert pinned.pin
    filled = parse_prefetch(b'{"template": "t", "slots": {"line": [1, 2]}}', LIMITS)
    assert filled.slots == {"line": [1, 2]}


@pytest.mark.parametrize(
    ("payload", "code"),
    [(b"[]", "empty_text"), (b'"a"', "wrong_type"), (b"[1]", "wrong_type"), (b"a", "not_json")],
)
def test_prefetch_of_anything_else_is_refused(payload: bytes, code: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse_prefetch(payload, LIMITS)
    assert (caught.value.code, caught.value.field or "texts") == (code, "texts")


def test_chime_is_home_assistants_siren() -> None:
    payload = b'{"state": "ON", "tone": "gong", "duration": 3, "volume_level": 0.5}'
    assert parse_chime(payload, LIMITS) == Chime(
        state="ON", tone="gong", duration=3, volume_level=0.5
    )
    assert parse_chime(b"OFF", LIMITS).state == "OFF"
    assert parse_chime(b"", LIMITS).state == "ON"


@pytest.mark.parametrize("transaction", ["a", 7, None])
def test_an_answer_carries_its_transaction(transaction: str | int | None) -> None:
    request = parse_request(json.dumps({"transaction": transaction}).encode(), LIMITS)
    answer = json.loads(encode_ok({"pong": 1}, request.transaction))
    assert answer.get("transaction") == transaction
    assert (answer["status"], answer["data"]) == ("ok", {"pong": 1})


def test_an_answer_says_what_went_wrong() -> None:
    refusal = Refusal("unknown_zone", "no such zone", field="zone")
    answer = json.loads(encode_error(refusal, "t"))
    assert answer == {
        "status": "error",
        "data": {},
        "error": "unknown_zone (zone): no such zone",
        "transaction": "t",
    }


def test_an_event_holds_what_happened_and_nothing_empty() -> None:
    event = Event(
        EventType.PARTIAL,
        "a",
        reason="device_lost",
        zones={
            "k": ZoneResult(EventType.FINISHED),
            "hall": ZoneResult(EventType.FAILED, "device_lost"),
        },
        details={"cached": False, "timings": {"queue_ms": 1.5}, "warnings": [], "into": None},
    )
    told = json.loads(encode_event(event, EventContext(1764648000.1236, "high", tags=("x",))))
    assert told == {
        "event_type": "partial",
        "id": "a",
        "ts": datetime.fromtimestamp(1764648000.123, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z"),
        "class": "high",
        "zones": {
            "k": {"result": "finished"},
            "hall": {"result": "failed", "reason": "device_lost"},
        },
        "reason": "device_lost",
        "tags": ["x"],
        "cached": False,
        "timings": {"queue_ms": 1.5},
    }


@given(st.text(max_size=50))
def test_an_event_hands_no_control_character_to_a_terminal(text: str) -> None:
    event = Event(EventType.REJECTED, None, details={"message": text})
    encoded = encode_event(event, EventContext(0.0, source=text, text=text))
    assert all(32 <= byte < 127 for byte in encoded)
    assert json.loads(encoded)["id"] is None


@pytest.mark.parametrize("kind", list(EventType))
def test_every_event_fits_its_own_schema(kind: EventType) -> None:
    encoded = encode_event(Event(kind, "a", reason="cancelled"), EventContext(0.0, "low"))
    read = EventMessage.model_validate_json(encoded)
    assert (read.event_type, read.class_name) == (kind, "low")


def test_the_schema_defines_every_payload_and_every_key_is_described() -> None:
    printed = schema()
    json.dumps(printed)
    assert set(MODELS) <= set(printed["$defs"])
    for name, definition in printed["$defs"].items():
        for key, value in definition.get("properties", {}).items():
            assert value.get("description"), f"{name}.{key} is not described"


def test_the_schema_names_keys_as_senders_write_them() -> None:
    assert "class" in schema()["$defs"]["say"]["properties"]
    assert "class_name" not in schema()["$defs"]["say"]["properties"]
