"""A scripted MQTT broker: says what the test wants it to say, byte for byte."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x30, 0x40, 0x80, 0x90
PINGREQ, DISCONNECT = 0xC0, 0xE0


@dataclass(slots=True)
class Packet:
    """A packet of the client's; ``kind`` without its flags."""

    kind: int
    flags: int
    body: bytes

    @property
    def packet_id(self) -> bytes:
        """Of a PUBLISH at QoS 1 or a SUBSCRIBE."""
        if self.kind == PUBLISH:
            topic_bytes = int.from_bytes(self.body[:2], "big")
            return self.body[2 + topic_bytes : 4 + topic_bytes]
        return self.body[:2]

    @property
    def topic(self) -> str:
        """Of a PUBLISH."""
        return self.body[2 : 2 + int.from_bytes(self.body[:2], "big")].decode()

    @property
    def qos(self) -> int:
        """Of a PUBLISH."""
        return self.flags >> 1 & 3

    @property
    def payload(self) -> bytes:
        """Of a PUBLISH without properties but for their length, MQTT 5, QoS 1."""
        topic_bytes = int.from_bytes(self.body[:2], "big")
        rest = self.body[4 + topic_bytes :]
        return rest[1 + rest[0] :]


def packet(first: int, body: bytes) -> bytes:
    """A packet with its length."""
    digits = bytearray()
    value = len(body)
    while True:
        value, digit = divmod(value, 128)
        digits.append(digit | 0x80 if value else digit)
        if not value:
            return bytes([first, *digits]) + body


def string(text: str) -> bytes:
    """A length-prefixed UTF-8 string."""
    return len(text.encode()).to_bytes(2, "big") + text.encode()


@dataclass(slots=True)
class Script:
    """How the broker answers. Each takes the client's packet and returns bytes to send.

    By default it is a friendly MQTT 5 broker that echoes publishes on the canary's topic.
    """

    connack: Callable[[Packet], bytes] = lambda _: packet(CONNACK, b"\0\0\0")
    puback: Callable[[Packet], bytes] = lambda got: packet(PUBACK, got.packet_id)
    suback: Callable[[Packet], bytes] = lambda got: _grant_all(got)
    pingresp: Callable[[Packet], bytes] = lambda _: packet(0xD0, b"")
    echo: Callable[[Packet], bytes] = lambda got: (
        packet(PUBLISH, string(got.topic) + b"\0" + got.payload)
        if got.topic.endswith("/canary")
        else b""
    )


def _grant_all(got: Packet) -> bytes:
    """Count the filters of a SUBSCRIBE and grant QoS 1 for each."""
    rest = got.body[2:]
    rest = rest[1 + rest[0] :]
    count = 0
    while rest:
        rest = rest[2 + int.from_bytes(rest[:2], "big") + 1 :]
        count += 1
    return packet(SUBACK, got.packet_id + b"\0" + b"\1" * count)


@dataclass(slots=True)
class FakeBroker:
    """Listens on a free port; keeps every packet of every connection."""

    script: Script
    port: int = 0
    connections: list[list[Packet]] = field(default_factory=list)
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)

    @property
    def packets(self) -> list[Packet]:
        """Of all connections, in order."""
        return [each for connection in self.connections for each in connection]

    def published(self, topic: str) -> list[Packet]:
        """What was published on a topic."""
        return [each for each in self.packets if each.kind == PUBLISH and each.topic == topic]

    def send(self, data: bytes) -> None:
        """Send bytes to the newest client."""
        self._writers[-1].write(data)

    def hang_up(self) -> None:
        """Close the newest connection."""
        self._writers[-1].close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client."""
        self._writers.append(writer)
        mine: list[Packet] = []
        self.connections.append(mine)
        try:
            while True:
                got = await _read(reader)
                mine.append(got)
                if got.kind == DISCONNECT:
                    break
                writer.write(self._answer(got))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def close(self) -> None:
        """Hang up on everybody."""
        for writer in self._writers:
            writer.close()

    def _answer(self, got: Packet) -> bytes:
        script = self.script
        match got.kind:
            case 0x10:
                return script.connack(got)
            case 0x30:
                return (script.puback(got) if got.qos else b"") + script.echo(got)
            case 0x80:
                return script.suback(got)
            case 0xC0:
                return script.pingresp(got)
            case _:
                return b""


async def _read(reader: asyncio.StreamReader) -> Packet:
    first = (await reader.readexactly(1))[0]
    length, shift = 0, 0
    while True:
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 0x7F) << shift
        shift += 7
        if digit < 0x80:
            break
    return Packet(first & 0xF0, first & 0x0F, await reader.readexactly(length))


@asynccontextmanager
async def fake_broker(script: Script | None = None) -> AsyncIterator[FakeBroker]:
    """A scripted broker on a free port of 127.0.0.1."""
    fake = FakeBroker(script or Script())
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        fake.close()
        server.close()
        await server.wait_closed()
