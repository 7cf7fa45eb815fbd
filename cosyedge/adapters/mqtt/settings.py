"""What one session with a broker needs to know."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from cosyedge.service.ports import Outgoing

Version = Literal["5", "3.1.1"]


class Subscription(Protocol):
    """A filter and the QoS wanted for it; :class:`cosyedge.wire.topics.Filter` is one."""

    @property
    def topic(self) -> str:
        """The filter."""
        ...

    @property
    def qos(self) -> int:
        """0 or 1."""
        ...


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files; without ``ca_file`` the system's authorities are trusted."""

    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """One session. A second one of the same node takes another client id and other filters.

    ``max_packet_bytes`` bounds what the broker may send us, ``broker_max_bytes`` what we send
    to a broker that states no limit because it speaks 3.1.1. ``will`` is published by the
    broker ``will_delay_s`` after we vanish, ``birth`` by us at each connection.
    """

    host: str
    port: int
    client_id: str
    canary_topic: str
    filters: Iterable[Subscription] = ()
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    version: Literal["auto", "5", "3.1.1"] = "auto"
    tls: TlsFiles | None = None
    keepalive_s: int = 30
    connect_timeout_s: float = 10.0
    reconnect_min_s: float = 1.0
    reconnect_max_s: float = 60.0
    session_expiry_s: int = 600
    receive_maximum: int = 20
    max_packet_bytes: int = 131072
    broker_max_bytes: int = 1_000_000
    canary_period_s: float = 15.0
    canary_deadline_s: float = 5.0
    will: Outgoing | None = None
    will_delay_s: int = 5
    birth: Outgoing | None = None
    max_waiting: int = 1000
    inbox: int = 1000
