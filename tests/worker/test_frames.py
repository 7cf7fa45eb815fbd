"""Frames and messages: what goes in comes out, and nothing else comes in."""

import json
import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.speech import SpeechRequest
from cosyedge.worker import messages
from cosyedge.worker.frames import (
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    PREFIX,
    Frame,
    FrameError,
    encode,
    lengths,
    parse,
)
from cosyedge.worker.messages import (
    Cancel,
    Done,
    Failed,
    Load,
    Ping,
    Pong,
    Ready,
    Speak,
    Spoken,
    answer_frame,
    order_frame,
    read_answer,
    read_order,
)
from tests.support.voices import hibari


def _over_the_wire(frame: Frame) -> Frame:
    data = encode(frame)
    header_bytes, body_bytes = lengths(data[: PREFIX.size])
    rest = data[PREFIX.size :]
    assert len(rest) == header_bytes + body_bytes
    return parse(rest[:header_bytes], rest[header_bytes:])


ORDERS = [
    Load(hibari().voice, "/voices/hibari", {"threads": 2, "memory_cap_bytes": None}),
    Speak(3, (SpeechRequest("Tür auf \u2764", "de", "v", "anna", 0.5, "tyːɐ", {"seed": 7}),)),
    Cancel(4),
    Ping(5),
]
ANSWERS = [Ready(0.5, 1 << 28, 24_000), Done(4), Failed(5, "out_of_memory", "no"), Pong(6)]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_an_order_arrives_as_it_was_sent(order: messages.Order) -> None:
    assert read_order(_over_the_wire(order_frame(order))) == order


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_arrives_as_it_was_sent(answer: messages.Answer) -> None:
    assert read_answer(_over_the_wire(answer_frame(answer))) == answer


def test_samples_arrive_as_they_were_sent() -> None:
    samples = np.linspace(-1, 1, 1000, dtype=np.float32)
    sent = Spoken(1, 2, 24_000, 12.5, samples, ("reseeded",))
    arrived = read_answer(_over_the_wire(answer_frame(sent)))
    assert isinstance(arrived, Spoken)
    assert (arrived.id, arrived.index, arrived.rate_hz, arrived.synth_ms) == (1, 2, 24_000, 12.5)
    assert np.array_equal(arrived.samples, samples)
    assert arrived.remarks == ("reseeded",)


@pytest.mark.parametrize(
    "frame",
    [
        Frame({"text": "x" * MAX_HEADER_BYTES}),
        Frame({}, bytes(MAX_BODY_BYTES + 1)),
    ],
    ids=["header", "body"],
)
def test_a_frame_over_its_bounds_is_not_sent(frame: Frame) -> None:
    with pytest.raises(FrameError):
        encode(frame)


@pytest.mark.parametrize(
    "prefix",
    [
        struct.pack("!4sII", b"CEW0", 2, 0),
        struct.pack("!4sII", b"CEW1", MAX_HEADER_BYTES + 1, 0),
        struct.pack("!4sII", b"CEW1", 2, MAX_BODY_BYTES + 1),
    ],
    ids=["magic", "header", "body"],
)
def test_a_bad_prefix_is_refused_before_anything_is_read(prefix: bytes) -> None:
    with pytest.raises(FrameError):
        lengths(prefix)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{",
        b'{"op": NaN}',
        b'{"op": "done", "id": 1} {}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"n": ' + b"9" * 10_000 + b"}",
    ],
)
def test_a_header_that_is_no_json_object_is_refused(header: bytes) -> None:
    with pytest.raises(FrameError):
        parse(header, b"")


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"op": None},
        {"op": ["done"]},
        {"op": "explode", "id": 1},
        {"op": "done"},
        {"op": "done", "id": True},
        {"op": "done", "id": -1},
        {"op": "done", "id": 1.5},
        {"op": "done", "id": 2**60},
        {"op": "failed", "id": 1, "code": "no_such_code", "message": ""},
        {"op": "ready", "load_s": float("inf"), "rss_bytes": 1, "rate_hz": 1},
        {"op": "spoken", "id": 1, "index": 0, "rate_hz": 3, "synth_ms": 1},
    ],
)
def test_a_header_that_is_no_answer_is_refused(header: dict) -> None:
    with pytest.raises(FrameError):
        read_answer(Frame(header))


@pytest.mark.parametrize(
    "header",
    [
        {"op": "done", "id": 1},
        {"op": "speak", "id": 1, "requests": {}},
        {"op": "speak", "id": 1, "requests": [None]},
        {"op": "speak", "id": 1, "requests": [{"spoken": "x"}]},
        {"op": "load", "voice": {}, "folder": "/", "settings": {}},
        {"op": "load", "voice": {"files": [3]}, "folder": "/", "settings": {}},
    ],
)
def test_a_header_that_is_no_order_is_refused(header: dict) -> None:
    with pytest.raises(FrameError):
        read_order(Frame(header))


def _receive(data: bytes) -> None:
    """Read ``data`` as the parent does."""
    if len(data) < PREFIX.size:
        return
    header_bytes, body_bytes = lengths(data[: PREFIX.size])
    rest = data[PREFIX.size :]
    if len(rest) >= header_bytes + body_bytes:
        read_answer(parse(rest[:header_bytes], rest[header_bytes : header_bytes + body_bytes]))


def _mutant(rng: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, 6)):
        match rng.randrange(4):
            case 0:
                data[rng.randrange(len(data))] = rng.randrange(256)
            case 1:
                place = rng.randrange(len(data))
                del data[place : place + rng.randint(1, 4)]
            case 2:
                data.insert(rng.randrange(len(data) + 1), rng.randrange(256))
            case 3:
                word = json.dumps(rng.choice([None, True, -1, 1e308, [], {}, "x", 2**70]))
                place = rng.randrange(len(data))
                data[place : place + len(word)] = word.encode()
        if not data:
            return b""
    if rng.random() < 0.7 and len(data) > PREFIX.size:
        # Mend the prefix, so that what lies behind it is reached.
        body_bytes = min(8, len(data) - PREFIX.size)
        header_bytes = len(data) - PREFIX.size - body_bytes
        data[: PREFIX.size] = PREFIX.pack(b"CEW1", header_bytes, body_bytes)
    return bytes(data)


def test_20_000_mutated_frames_are_read_or_refused() -> None:
    rng = random.Random(20_261_202)
    spoken = Spoken(1, 0, 24_000, 1.0, np.zeros(2, np.float32))
    seeds = [encode(answer_frame(answer)) for answer in [*ANSWERS, spoken]]
    seeds += [encode(order_frame(order)) for order in ORDERS[1:]]
    refused = 0
    for _ in range(20_000):
        try:
            _receive(_mutant(rng, seeds))
        except FrameError:
            refused += 1
    assert 10_000 < refused < 20_000


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        _receive(data)
    except FrameError:
        return


@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=4), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=6,
    ),
    st.sampled_from(["load", "speak", "cancel", "ping"]),
)
def test_any_header_is_an_order_or_refused(header: dict, op: str) -> None:
    try:
        read_order(Frame({**header, "op": op}))
    except FrameError:
        return
