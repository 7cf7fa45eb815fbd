"""The connection to the broker, and the messages that pass it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """A received MQTT message. ``acknowledge`` is called once it is safe with us."""

    topic: str
    payload: bytes
    retain: bool
    qos: int
    expiry_s: float | None = None
    response_topic: str | None = None
    correlation: bytes | None = None
    acknowledge: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to publish."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False
    expiry_s: float | None = None
    content_type: str | None = None
    correlation: bytes | None = None
    properties: tuple[tuple[str, str], ...] = ()


class Broker(Protocol):
    """The connection to the MQTT broker."""

    @property
    def connected(self) -> bool:
        """Whether a session is up and its canary came back in time."""
        ...

    @property
    def max_packet_bytes(self) -> int:
        """The most that one publish of ours may hold, header included."""
        ...

    async def publish(self, message: Outgoing, *, deadline_s: float = 30.0) -> None:
        """Return at the PUBACK (QoS 0: when written). Raises OutputFailure."""
        ...
