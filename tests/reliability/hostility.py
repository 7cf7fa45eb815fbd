"""Hostile payloads for a real daemon, and how long its event loop let others wait meanwhile."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.reliability.loop_probe import waits
from tests.support.broker import Broker
from tests.support.listener import Listener, listen
from tests.support.node import BASE, Node, online, voice_ready

CONFIG = """
[outputs.nothing]
kind = "null"
[limits]
rate_per_s = 100000
rate_burst = 100000
"""
#: All that a configuration may allow: four and ten times what it does by default.
WIDEST = "payload_bytes = 65536\ntext_max_chars = 10000\n"
K64 = 65_000

Payloads = Sequence[tuple[str, bytes]]


def _text(text: str, **keys: object) -> tuple[str, bytes]:
    return "say", json.dumps({"text": text, **keys}, ensure_ascii=False).encode()


def _each(*texts: str, **keys: object) -> list[tuple[str, bytes]]:
    return [_text(text, **keys) for text in texts]


KINDS: Mapping[str, Payloads] = {
    "benign": [_text(f"It is {n} degrees outside.") for n in range(20)],
    "256 KiB of text": [("say", b"word " * 51_200), _text("word " * 51_200)],
    "64 KiB of text": [("say", b"word " * 13_000), *_each("a b. " * 12_900, "\u6f22" * 21_000)],
    "nested JSON": [
        ("say", b"[" * K64),
        ("say", b'{"text":' + b"[" * K64),
        ("say", b'{"a":' * 13_000),
        ("cancel", b"[" * 100_000),
    ],
    "digits": [
        *_each("9" * K64, "1," * 32_000, "1:2" * 21_000, "-9.9e9 " * 9_000),
        ("say", b'{"text": "a", "ttl": ' + b"9" * K64 + b"}"),
        ("set/volume", b"9" * K64),
    ],
    "combining marks": _each("e" + "\u0301" * 32_000, "e\u0301\u0323" * 13_000, "\u1100" * 21_000),
    "marks in every language": [
        _text("e" + "\u0301" * 9_000 + mark * 2_000, lang=lang)
        for lang, mark in (("en", "1/2 "), ("de", "3. "), ("zh", "\u5e74"), ("ja", "\u6708"))
    ],
    "markup": [
        *_each("<speak>" * 1_400, "<" * 9_990, "&amp" * 2_400, markup="ssml"),
        *_each("[pause:" * 1_400, "(" * 9_990, "<|zh|>" * 1_600),
    ],
    "1,000 characters": _each(
        *(piece * (990 // len(piece)) for piece in ("9", "1:2 ", "21.5 \u00b0C, ", "<", "e\u0301"))
    ),
    "120 characters": _each(*(c * 115 for c in "9\u0301\u5e74<&(-:.,/ %\u00b0\u0e33\uac00\ufdfa")),
    "many keys": [
        ("say", json.dumps({f"k{n}": n for n in range(5_000)}).encode()),
        ("say", b'{"text":"a",' + b'"text":"a",' * 5_000 + b'"z":1}'),
    ],
    "10,000 characters": _each(
        *(piece * (9_990 // len(piece)) for piece in ("9", "1:2 ", "21.5 \u00b0C, ", "\u5e74"))
    ),
    "lists": [
        ("prefetch", json.dumps([f"Text {n}." for n in range(256)]).encode()),
        ("prefetch", json.dumps(["x" * 200] * 256).encode()),
        ("say", json.dumps({"texts": {"en": "a. " * 5_000, "de": "b. " * 5_000}}).encode()),
        ("say", json.dumps({"text": "a", "zone": ["z"] * 15_000}).encode()),
        ("say", json.dumps({"text": "a", "tags": ["t"] * 15_000}).encode()),
    ],
    "no UTF-8": [("say", b"\xff" * K64), ("say", b"a" * 64_000 + b"\xe2\x82")],
}


@dataclass(frozen=True, slots=True)
class Lag:
    """The longest wait of the loop's timers while one kind of payload was handled, in seconds."""

    kind: str
    messages: int
    took_s: float
    late_s: float
    cpu_s: float


async def measure(folder: Path, *, rounds: int, flood: int, limits: str = "") -> list[Lag]:
    """Send every kind ``rounds`` times, and ``flood`` small ones at once, to one daemon."""
    lines = folder / "waits"
    with Broker(lines=("max_queued_messages 0", "max_inflight_messages 0")) as broker:
        node = Node(broker, folder / "node", CONFIG + limits)
        node.environment["COSYEDGE_MQTT__MAX_PACKET_BYTES"] = str(1 << 20)
        node.program = ("-m", "tests.reliability.launcher", "probe", str(lines))
        async with listen(broker, f"{BASE}/availability", f"{BASE}/response/#") as listener:
            node.start()
            try:
                await online(listener)
                await voice_ready(listener)
                lags = [
                    await _one(kind, _varied(payloads, rounds), listener, lines)
                    for kind, payloads in KINDS.items()
                ]
                small = [("say", b'{"text": "Yes.", "ttl": 1}')] * flood
                return [*lags, await _one("flood", small, listener, lines)]
            finally:
                node.abandon()


def _varied(payloads: Payloads, rounds: int) -> Payloads:
    """So many times the same, each text a little different: one that is known is not read."""
    return [
        (topic, payload.replace(b'"text": "', b'"text": "%d ' % number))
        for number in range(rounds)
        for topic, payload in payloads
    ]


async def _one(kind: str, payloads: Payloads, listener: Listener, lines: Path) -> Lag:
    begun = time.monotonic()
    for topic, payload in payloads:
        listener.publish(f"{BASE}/{topic}", payload)
    # Behind them in the same session: it is answered once all of them were handled.
    listener.publish(f"{BASE}/request/ping", json.dumps({"transaction": kind}))
    await listener.wait(lambda heard: kind.encode() in heard.payload, timeout=60)
    took_s = time.monotonic() - begun
    listener.publish(f"{BASE}/cancel", "all")
    within = [wait for wait in waits(lines) if wait.at >= begun]
    late_s = max((wait.late_s for wait in within), default=0.0)
    cpu_s = max((wait.cpu_s for wait in within), default=0.0)
    return Lag(kind, len(payloads), took_s, late_s, cpu_s)
