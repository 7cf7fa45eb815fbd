"""Frames between supervisor and worker: a fixed prefix, a JSON header, a binary body.

::

    magic "CEW1" | header bytes u32 | body bytes u32 | header (JSON object, UTF-8) | body

Integers are big-endian. Neither side trusts the other: every length has a bound, and whatever
breaks the form raises FrameError, after which the connection is of no more use.
"""

import json
import struct
from dataclasses import dataclass
from typing import Any

MAGIC = b"CEW1"
PREFIX = struct.Struct("!4sII")
MAX_HEADER_BYTES = 256 * 1024
# Six minutes of float32 at 24 kHz: more than any deadline allows to be spoken.
MAX_BODY_BYTES = 32 * 1024 * 1024


class FrameError(ValueError):
    """Bytes that are no frame, or a frame that is no message."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message on the way: ``header`` as parsed JSON, ``body`` as raw bytes."""

    header: dict[str, Any]
    body: bytes = b""


def encode(frame: Frame) -> bytes:
    """Return the frame's bytes; raises FrameError where it exceeds a bound."""
    header = json.dumps(frame.header, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    if len(header) > MAX_HEADER_BYTES or len(frame.body) > MAX_BODY_BYTES:
        raise FrameError("the frame is too large")
    return b"".join((PREFIX.pack(MAGIC, len(header), len(frame.body)), header, frame.body))


def lengths(prefix: bytes) -> tuple[int, int]:
    """Read a prefix: the lengths of header and body in bytes; raises FrameError."""
    magic, header_bytes, body_bytes = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise FrameError("the bytes are not a frame")
    if header_bytes > MAX_HEADER_BYTES or body_bytes > MAX_BODY_BYTES:
        raise FrameError("the frame is too large")
    return header_bytes, body_bytes


def parse(header: bytes, body: bytes) -> Frame:
    """Parse what followed a prefix; raises FrameError."""
    try:
        document = json.loads(header, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError("the header is not JSON") from error
    if not isinstance(document, dict):
        raise FrameError("the header is not an object")
    return Frame(document, body)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
