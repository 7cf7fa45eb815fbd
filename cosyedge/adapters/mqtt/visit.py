"""One visit to a broker by a command: connect once, hear, publish, leave. No session is kept."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from cosyedge.adapters.mqtt.dial import Dialer
from cosyedge.adapters.mqtt.link import Link
from cosyedge.adapters.mqtt.reasons import UNSUPPORTED_VERSION, BrokerRefusal
from cosyedge.adapters.mqtt.settings import MqttSettings, Subscription, Version
from cosyedge.adapters.mqtt.status import BrokerLimits
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Message, Outgoing

_REFUSED = 0x80


class Visitor:
    """A connection that is used by one command, which ends with it."""

    def __init__(self, settings: MqttSettings) -> None:
        self._settings = settings
        self._heard: asyncio.Queue[Message] = asyncio.Queue()
        self._link: Link | None = None

    @property
    def version(self) -> str:
        """The MQTT version in use."""
        return self._connected().version

    @property
    def limits(self) -> BrokerLimits:
        """What CONNACK allows."""
        return self._connected().limits

    @property
    def certificate_expires_at(self) -> float | None:
        """When the broker's certificate ends, in seconds since 1970; None without TLS."""
        return self._connected().certificate_expires_at

    async def connect(self) -> None:
        """Raises OutputFailure: broker_unavailable, tls, not_authorized, protocol_error."""
        try:
            await self._open_with_fallback()
        except OutputFailure as failure:
            where = f"the broker at {self._settings.host}:{self._settings.port}"
            raise OutputFailure(failure.code, f"{where}: {failure}") from failure

    async def subscribe(self, filters: Iterable[Subscription]) -> None:
        """Raises OutputFailure("not_authorized") where the broker grants one of them not."""
        wanted = list(filters)
        codes = await self._connected().subscribe(wanted)
        for each, code in zip(wanted, codes, strict=False):
            if code >= _REFUSED:
                raise OutputFailure(
                    "not_authorized", f"the broker refuses to let us hear {each.topic}"
                )

    async def publish(self, message: Outgoing) -> None:
        """Return at the PUBACK. Raises OutputFailure."""
        code = await self._connected().publish(message)
        if code >= _REFUSED:
            raise OutputFailure("publish_refused", f"the broker refuses {message.topic}")

    async def messages(self) -> AsyncIterator[Message]:
        """Yield what comes, in order. Raises OutputFailure once the connection is lost."""
        link = self._connected()
        while True:
            next_one = asyncio.ensure_future(self._heard.get())
            try:
                either: set[asyncio.Future[Any]] = {next_one, link.lost}
                await asyncio.wait(either, return_when="FIRST_COMPLETED")
                if not next_one.done():
                    raise link.lost.result()
                yield next_one.result()
            finally:
                next_one.cancel()

    async def leave(self) -> None:
        """Say goodbye; returns once it is out, or after a second."""
        if self._link is None:
            return
        self._link.goodbye()
        await asyncio.wait({self._link.lost}, timeout=1.0)
        self._link.abort(OutputFailure("broker_unavailable", "left"))

    async def _open_with_fallback(self) -> None:
        wanted = self._settings.version
        try:
            await self._open("5" if wanted == "auto" else wanted)
        except BrokerRefusal as refusal:
            if wanted != "auto" or refusal.reason_code not in UNSUPPORTED_VERSION:
                raise
            await self._open("3.1.1")

    async def _open(self, version: Version) -> None:
        line = await Dialer(self._settings).dial()
        self._link = Link(self._settings, version, line, self._hear)
        await self._link.open()

    def _hear(self, message: Message) -> None:
        message.acknowledge()
        self._heard.put_nowait(message)

    def _connected(self) -> Link:
        if self._link is None:
            raise OutputFailure("broker_unavailable", "not connected")
        return self._link


@asynccontextmanager
async def visiting(settings: MqttSettings) -> AsyncIterator[Visitor]:
    """Connect under a client id of our own, without a session that would outlive us."""
    guest = replace(
        settings,
        client_id=f"cosyedge-visitor-{secrets.token_hex(6)}",
        session_expiry_s=0,
        max_packet_bytes=max(settings.max_packet_bytes, 16 << 20),
        will=None,
        birth=None,
    )
    visitor = Visitor(guest)
    try:
        await visitor.connect()
        yield visitor
    finally:
        await visitor.leave()
