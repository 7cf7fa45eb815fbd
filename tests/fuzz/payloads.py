"""Payloads for every parser of the wire: each is parsed, or refused by name."""

import random
from collections.abc import Callable

from cosyedge.core.errors import Refusal
from cosyedge.wire import commands
from cosyedge.wire.json_reader import ReadingLimits
from cosyedge.wire.say import parse_say

LIMITS = ReadingLimits(16_384)
PARSERS: tuple[Callable[[bytes, ReadingLimits], object], ...] = (
    parse_say,
    commands.parse_cancel,
    commands.parse_zone_command,
    commands.parse_prefetch,
    commands.parse_chime,
    commands.parse_request,
)
SEEDS = (
    b'{"text": "hello", "id": "a", "priority": 3, "volume": 0.5, "zone": ["a", "b"]}',
    b'{"texts": {"en": "one", "zh": "\xe4\xb8\x80"}, "ttl": 1e3, "repeat": 3, "resume": "drop"}',
    b'{"template": "t", "slots": {"line": 3}, "chunk_bytes": 4096, "format": "opus"}',
    b'{"id": "x", "class": "urgent"}',
    b'{"texts": ["a", "b"], "pin": true}',
    b'{"state": "ON", "tone": "gong", "duration": 3, "volume_level": 0.5}',
    b'{"transaction": "t1"}',
    b"plain text. With 21.5 degrees!",
)
PIECES = (
    b"{", b"}", b"[" * 40, b'"', b"\\u0000", b"\\ud800", b"NaN", b"1e999", b"9" * 400, b"true",
    b"null", b"\xff", b"\x00", b"\xe2\x80\xae", b'"text":', b"-", b"<|zh|>", b"\xcc\x81" * 60,
)  # fmt: skip


def nonsense(dice: random.Random) -> bytes:
    """One payload: a good one with some bytes changed, cut, doubled or put in, or noise."""
    if dice.random() < 0.05:
        return dice.randbytes(dice.randrange(200))
    payload = bytearray(dice.choice(SEEDS))
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(payload) + 1)
        match dice.randrange(4):
            case 0:
                payload[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                payload[at:at] = dice.choice(PIECES)
            case 2:
                del payload[at : at + dice.randrange(12)]
            case _:
                payload[at:at] = payload[max(0, at - 20) : at]
    return bytes(payload)


def feed(dice: random.Random) -> str:
    """Feed one payload to one parser."""
    try:
        dice.choice(PARSERS)(nonsense(dice), LIMITS)
    except Refusal as refusal:
        return refusal.code
    return "parsed"
