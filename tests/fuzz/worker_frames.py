"""Frames between supervisor and worker, both ways: each is read, or it is a FrameError."""

import json
import random
from functools import cache

import numpy as np

from cosyedge.core.speech import SpeechRequest
from cosyedge.worker.frames import PREFIX, FrameError, encode, lengths, parse
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
from tests.fuzz.feeding import mutated
from tests.support.voices import hibari

VALUES = (None, True, -1, 2**70, 1e308, 0.5, [], {}, [[]], {"a": {}}, "", "x", "\ud800")
PIECES = (
    b"NaN", b"Infinity", b"null", b"{", b"[" * 90, b'"', b"\\ud800", b"\xff\xfe", b"9" * 300,
    b'"op":', b"CEW1", b"\0\0\0\0",
)  # fmt: skip


@cache
def _frames() -> tuple[tuple[bytes, bool], ...]:
    """Good frames, and whether it is an answer."""
    request = SpeechRequest("Tür auf \u2764", "de", "v", "anna", 0.5, "tyːɐ", {"seed": 7})
    orders = (
        Load(hibari().voice, "/voices/hibari", {"threads": 2}),
        Speak(3, (request, request)),
        Cancel(4),
        Ping(5),
    )
    answers = (
        Ready(0.5, 1 << 28, 24_000),
        Spoken(1, 0, 24_000, 1.0, np.zeros(40, np.float32), ("reseeded",)),
        Done(4),
        Failed(5, "out_of_memory", "no"),
        Pong(6),
    )
    return (
        *((encode(order_frame(order)), False) for order in orders),
        *((encode(answer_frame(answer)), True) for answer in answers),
    )


def feed(dice: random.Random) -> str:
    """Change a frame or a field of one, and read it as its receiver does."""
    data, is_answer = dice.choice(_frames())
    if dice.random() < 0.5:
        data = _with_other_fields(data, dice)
    else:
        data = mutated(data, dice, PIECES)
        data = _with_true_lengths(data, dice) if dice.random() < 0.7 else data
    try:
        return _receive(data, is_answer=is_answer)
    except FrameError:
        return "refused"


def _receive(data: bytes, *, is_answer: bool) -> str:
    if len(data) < PREFIX.size:
        return "waits for more"
    header_bytes, body_bytes = lengths(data[: PREFIX.size])
    rest = data[PREFIX.size :]
    if len(rest) < header_bytes + body_bytes:
        return "waits for more"
    frame = parse(rest[:header_bytes], rest[header_bytes : header_bytes + body_bytes])
    if is_answer:
        read_answer(frame)
    else:
        read_order(frame)
    return "read"


def _with_other_fields(data: bytes, dice: random.Random) -> bytes:
    """The frame with a field of its header left out, or with another value."""
    header_bytes, _ = lengths(data[: PREFIX.size])
    header = json.loads(data[PREFIX.size : PREFIX.size + header_bytes])
    body = data[PREFIX.size + header_bytes :]
    place = header
    while True:
        key = dice.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or not place[key] or dice.random() < 0.3:
            break
        place = place[key]
    if dice.random() < 0.3:
        del place[key]
    else:
        place[key] = dice.choice(VALUES)
    text = json.dumps(header).encode()
    return PREFIX.pack(b"CEW1", len(text), len(body)) + text + body


def _with_true_lengths(data: bytes, dice: random.Random) -> bytes:
    """Mend the prefix, so that what lies behind it is reached."""
    rest = data[PREFIX.size :]
    body_bytes = dice.choice((0, min(8, len(rest))))
    return PREFIX.pack(b"CEW1", len(rest) - body_bytes, body_bytes) + rest
