"""What a session tells about itself, for health, state, doctor and the watchdog."""

from dataclasses import dataclass
from typing import Literal

State = Literal["connecting", "up", "backoff", "stopped"]


@dataclass(frozen=True, slots=True)
class BrokerLimits:
    """What CONNACK allows; ``packet_bytes`` binds every publish of ours."""

    packet_bytes: int
    qos: int = 1
    retain: bool = True
    inflight: int = 20


@dataclass(frozen=True, slots=True)
class MqttStatus:
    """One line about a session.

    ``progressed_at`` is the loop's time of the last sign of life; in ``backoff`` waiting is by
    design. ``backlogs`` counts the outages whose messages the broker kept. ``round_trip_s`` is
    the canary's. ``certificate_expires_at`` is seconds since 1970.
    """

    state: State
    connected: bool
    progressed_at: float
    fault: str | None = None
    fault_message: str | None = None
    version: str | None = None
    session_present: bool = False
    limits: BrokerLimits | None = None
    round_trip_s: float | None = None
    certificate_expires_at: float | None = None
    connections: int = 0
    backlogs: int = 0
    received: int = 0
    published: int = 0
    dropped: int = 0
