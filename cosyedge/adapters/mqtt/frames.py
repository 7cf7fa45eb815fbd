"""Stand between the socket and paho: hand over whole packets, bounded and with known codes.

paho 2.2 asks the kernel three times for each packet, holds whatever length a packet claims,
and raises KeyError at a reason code that its tables lack. Here a broker's bytes are read in
bulk and cut into packets (OASIS MQTT 5.0 §2.1); an oversize PUBLISH is cut short, so that the
message is refused and acknowledged instead of coming back at every connection; a code that
paho does not know becomes 0x80, or 0 where it stands for success.
"""

import socket
from collections.abc import Iterable
from contextlib import suppress

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

CHUNK_BYTES = 65536
# A round's packets leave in one call: each costs the kernel as much as all of them do.
HELD_BYTES = 4 * CHUNK_BYTES
ROUND_BYTES = 4 * CHUNK_BYTES
_CONNACK, _PUBLISH, _PUBACK, _SUBACK, _DISCONNECT = 0x20, 0x30, 0x40, 0x90, 0xE0
_TOPIC_ROOM_BYTES = 66_000
_FAILED = 0x80


def _known_codes(packet_type: int) -> frozenset[int]:
    return frozenset(
        code
        for code, names in ReasonCode.names.items()
        if any(packet_type in types for types in names.values())
    )


_KNOWN = {
    _CONNACK: _known_codes(PacketTypes.CONNACK) | {1},
    _PUBACK: _known_codes(PacketTypes.PUBACK),
    _SUBACK: _known_codes(PacketTypes.SUBACK),
    _DISCONNECT: _known_codes(PacketTypes.DISCONNECT),
}


class FramedSocket:
    """What paho takes for its socket. ``v5`` says how packets are to be read."""

    def __init__(self, sock: socket.socket, max_packet_bytes: int, *, v5: bool) -> None:
        self.sent_bytes = 0
        self.received_bytes = 0
        self.connack_code: int | None = None
        self.disconnect_code: int | None = None
        self._sock = sock
        self._most = max(max_packet_bytes, _TOPIC_ROOM_BYTES)
        self._v5 = v5
        self._out = bytearray()
        self._raw = bytearray()
        self._skip = 0
        self._ready = b""
        self._taken = 0

    @property
    def has_packets(self) -> bool:
        """Whether whole packets wait to be taken."""
        return self._taken < len(self._ready)

    def fill(self) -> None:
        """Read what has come, at most about 256 KiB. Raises OSError at the end or at garbage."""
        got = 0
        while got < ROUND_BYTES:
            try:
                data = self._sock.recv(CHUNK_BYTES)
            except BlockingIOError:
                break
            except OSError as error:
                if _wants_patience(error):
                    break
                raise
            if not data:
                if got:
                    break
                raise ConnectionResetError("the broker closed the connection")
            got += len(data)
            self._raw += data
        self.received_bytes += got
        packets = list(self._cut())
        self._ready = self._ready[self._taken :] + b"".join(packets)
        self._taken = 0

    def recv(self, buffer_size: int) -> bytes:
        """Give paho the next bytes of whole packets."""
        chunk = self._ready[self._taken : self._taken + buffer_size]
        if not chunk:
            raise BlockingIOError
        self._taken += len(chunk)
        return chunk

    @property
    def unsent_bytes(self) -> int:
        """What was taken from paho and not yet by the kernel."""
        return len(self._out)

    def send(self, buffer: bytes | bytearray) -> int:
        """Take from paho, which knows what a full buffer means; ``flush`` writes it."""
        if len(self._out) >= HELD_BYTES:
            self.flush()
        if len(self._out) >= HELD_BYTES:
            raise BlockingIOError
        self._out += buffer
        return len(buffer)

    def flush(self) -> None:
        """Write what the kernel takes. Raises OSError where the connection is gone."""
        while self._out:
            try:
                sent = self._sock.send(self._out)
            except BlockingIOError:
                return
            except OSError as error:
                if _wants_patience(error):
                    return
                raise
            self.sent_bytes += sent
            del self._out[:sent]

    def close(self) -> None:
        """Close the socket; a DISCONNECT that paho just wrote goes out first."""
        with suppress(OSError):
            self.flush()
        self._sock.close()

    def fileno(self) -> int:
        """The socket's descriptor, -1 once closed."""
        return self._sock.fileno()

    def setblocking(self, flag: bool) -> None:
        """Nothing to do: it never blocks."""

    def _cut(self) -> Iterable[bytes]:
        """Take whole packets off the raw bytes; keep the rest."""
        position = 0
        while True:
            if self._skip:
                step = min(self._skip, len(self._raw) - position)
                position, self._skip = position + step, self._skip - step
            header = _header(self._raw, position)
            if header is None:
                break
            body, length = header
            kept = self._room(self._raw[position], length)
            if len(self._raw) < body + kept:
                break
            packet = bytes(self._raw[position : body + kept])
            yield self._mend(packet, body - position, whole=kept == length)
            position, self._skip = body + kept, length - kept
        del self._raw[:position]

    def _room(self, first: int, length: int) -> int:
        """How much of a packet's body is kept."""
        if self.connack_code is None and first & 0xF0 != _CONNACK:
            raise ConnectionError("the first packet is no CONNACK")
        if first & 0xF4 == _PUBLISH | 4:
            raise ConnectionError("a message of QoS 2, which was not asked for")
        if length <= self._most:
            return length
        if first & 0xF0 != _PUBLISH:
            raise ConnectionError("an oversize packet")
        return self._most

    def _mend(self, packet: bytes, start: int, *, whole: bool) -> bytes:
        """Shorten the length of what was cut, and replace codes that paho does not know."""
        kind, body = packet[0] & 0xF0, packet[start:]
        if not whole:
            return packet[:1] + variable_length(len(body)) + body
        if kind == _CONNACK and len(body) >= 2:
            self.connack_code = body[1]
            return packet[: start + 1] + bytes([self._code(kind, body[1])]) + body[2:]
        if kind == _PUBACK and self._v5 and len(body) > 2:
            return bytes([_PUBACK, 3, body[0], body[1], self._code(kind, body[2])])
        if kind == _SUBACK:
            codes = self._suback_codes(body)
            known = bytes(self._code(kind, code) for code in body[codes:])
            return packet[: start + codes] + known
        if kind == _DISCONNECT and body:
            self.disconnect_code = body[0]
            return bytes([_DISCONNECT, 1, self._code(kind, body[0])])
        return packet

    def _code(self, kind: int, code: int) -> int:
        if kind == _CONNACK and not self._v5:
            return code if code <= 5 else 3
        if code in _KNOWN[kind]:
            return code
        return 0 if kind == _PUBACK and code < _FAILED else _FAILED

    def _suback_codes(self, body: bytes) -> int:
        """Where the codes of a SUBACK begin."""
        if not self._v5 or len(body) < 3:
            return 2
        header = _header(b"\x00" + body[2:], 0)
        if header is None:
            raise ConnectionError("a malformed SUBACK")
        properties, length = header
        return 2 + properties - 1 + length


def _wants_patience(error: OSError) -> bool:
    """TLS asks for another round in an exception of its own."""
    return type(error).__name__ in ("SSLWantReadError", "SSLWantWriteError")


def _header(data: bytes | bytearray, position: int) -> tuple[int, int] | None:
    """Where the body begins and how long it is (§1.5.5), or None while bytes are missing."""
    length = 0
    for index in range(4):
        at = position + 1 + index
        if at >= len(data):
            return None
        length |= (data[at] & 0x7F) << (7 * index)
        if data[at] < 0x80:
            return at + 1, length
    raise ConnectionError("a malformed length")


def variable_length(value: int) -> bytes:
    """A variable byte integer (§1.5.5)."""
    digits = bytearray()
    while True:
        value, digit = divmod(value, 128)
        digits.append(digit | 0x80 if value else digit)
        if not value:
            return bytes(digits)
