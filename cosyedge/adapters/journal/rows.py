"""Rows of the journal: how each is written, sealed with a checksum and read back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeAlias

from cosyedge.core.errors import StorageFailure
from cosyedge.core.events import Event
from cosyedge.service.ports import JournalEntry, OutboxRow, Outgoing

Value: TypeAlias = str | bytes | int | float | None
Row: TypeAlias = tuple[Value, ...]

# What an end keeps of its event: nothing here can hold the announcement's text.
KEPT_DETAILS = (
    "cached",
    "degraded",
    "capped_by",
    "warnings",
    "timings",
    "audio",
    "class",
    "replay_of",
    "into",
)


@dataclass(frozen=True, slots=True)
class EndedRow:
    """One line of history. Times are wall-clock seconds; ``text`` only with history_text."""

    id: str
    topic: str
    received_at: float
    ended_at: float
    priority: int
    outcome: str
    reason: str | None
    zones: Mapping[str, tuple[str, str | None]]
    details: Mapping[str, Any]
    text: bytes | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A latched fault; ``name`` says which part it is (broker, output.hall, engine)."""

    id: int
    name: str
    code: str
    raised_at: float
    cleared_at: float | None = None
    acked_at: float | None = None


def seal(row: Sequence[Value]) -> Row:
    """Append the 64-bit checksum of its values to a row."""
    digest = blake2b(repr(tuple(row)).encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return (*row, int.from_bytes(digest, "big", signed=True))


def unseal(row: Row) -> Row:
    """Take the checksum off. Raises StorageFailure (corrupt) where a byte has changed."""
    if seal(row[:-1]) != row:
        raise StorageFailure("corrupt", "a row of the journal does not match its checksum")
    return row[:-1]


def from_entry(entry: JournalEntry, state: str, part: int) -> Row:
    """The row of an open item."""
    return seal(
        (
            entry.id,
            entry.topic,
            entry.payload,
            entry.received_at,
            entry.expires_at,
            entry.priority,
            json.dumps(entry.zones),
            entry.content_type,
            state,
            part,
        )
    )


def to_entry(row: Row) -> tuple[JournalEntry, str, int]:
    """The open item of a row, its last state and part."""
    values: Any = unseal(row)
    id, topic, payload, received_at, expires_at, priority, zones, content_type, *last = values
    names = tuple(json.loads(zones))
    entry = JournalEntry(id, topic, payload, received_at, expires_at, priority, names, content_type)
    return entry, last[0], last[1]


def from_end(entry: JournalEntry, outcome: Event, ended_at: float, text: bytes | None) -> Row:
    """The row of history that takes an open item's place."""
    zones = {zone: (result.outcome, result.reason) for zone, result in outcome.zones.items()}
    kept = {key: outcome.details[key] for key in KEPT_DETAILS if key in outcome.details}
    return seal(
        (
            entry.id,
            entry.topic,
            entry.received_at,
            ended_at,
            entry.priority,
            str(outcome.type),
            outcome.reason,
            json.dumps(zones),
            json.dumps(kept, default=str),
            text,
        )
    )


def to_end(row: Row) -> EndedRow:
    """The line of history of a row."""
    values: Any = unseal(row)
    zones = {zone: (outcome, reason) for zone, (outcome, reason) in json.loads(values[7]).items()}
    id, topic, received_at, ended_at, priority, outcome, reason, _, details, text = values
    kept = json.loads(details)
    return EndedRow(id, topic, received_at, ended_at, priority, outcome, reason, zones, kept, text)


def from_outgoing(seq: int, message: Outgoing, queued_at: float) -> Row:
    """The row of an outgoing message."""
    return seal(
        (
            seq,
            message.topic,
            message.payload,
            message.qos,
            int(message.retain),
            message.expiry_s,
            message.content_type,
            message.correlation,
            json.dumps(message.properties),
            queued_at,
        )
    )


def to_outgoing(row: Row) -> OutboxRow:
    """The outgoing message of a row."""
    values: Any = unseal(row)
    seq, topic, payload, qos, retain, expiry_s, content_type, correlation, properties, _ = values
    pairs = tuple((key, value) for key, value in json.loads(properties))
    message = Outgoing(
        topic, payload, qos, bool(retain), expiry_s, content_type, correlation, pairs
    )
    return OutboxRow(seq, message)


def from_fault(fault: Fault) -> Row:
    """The row of a fault, its id first."""
    return seal(
        (
            fault.id,
            fault.name,
            fault.code,
            fault.raised_at,
            fault.cleared_at,
            fault.acked_at,
        )
    )


def to_fault(row: Row) -> Fault:
    """The fault of a row."""
    values: Any = unseal(row)
    return Fault(*values)
