"""``python -m tests.fuzz [--payloads N]``: nonsense for every parser of payloads.

Each payload is parsed or refused by name, none takes a second. Seeded: the same every time.
"""

import argparse
import random
import sys
import time
from collections import Counter
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


def nonsense(chance: random.Random) -> bytes:
    """One payload: a good one with some bytes changed, cut, doubled or put in, or noise."""
    if chance.random() < 0.05:
        return chance.randbytes(chance.randrange(200))
    payload = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(payload) + 1)
        match chance.randrange(4):
            case 0:
                payload[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                payload[at:at] = chance.choice(PIECES)
            case 2:
                del payload[at : at + chance.randrange(12)]
            case _:
                payload[at:at] = payload[max(0, at - 20) : at]
    return bytes(payload)


def run(count: int, seed: int) -> tuple[Counter[str], float]:
    """Feed ``count`` payloads; gives outcomes by name and the longest time of one, in seconds.

    Whatever is raised that is no Refusal comes out of here.
    """
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    longest_s = 0.0
    for number in range(count):
        payload = nonsense(chance)
        begun = time.perf_counter()
        try:
            PARSERS[number % len(PARSERS)](payload, LIMITS)
            outcomes["parsed"] += 1
        except Refusal as refusal:
            outcomes[refusal.code] += 1
        longest_s = max(longest_s, time.perf_counter() - begun)
    return outcomes, longest_s


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--payloads", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    begun = time.monotonic()
    outcomes, longest_s = run(wanted.payloads, wanted.seed)
    print(f"{wanted.payloads} payloads in {time.monotonic() - begun:.0f} s, seed {wanted.seed}")
    print(f"longest {1e3 * longest_s:.1f} ms; {dict(outcomes.most_common())}")
    return 1 if longest_s > 1.0 else 0


if __name__ == "__main__":
    sys.exit(main())
