"""What a broker's refusal means for us, as one of our codes."""

from cosyedge.adapters.mqtt.frames import FramedSocket
from cosyedge.core.errors import OutputFailure

UNSUPPORTED_VERSION = frozenset({0x01, 0x84})
SESSION_TAKEN_OVER = 0x8E
_NOT_AUTHORIZED = frozenset({0x04, 0x05, 0x86, 0x87, 0x8A, 0x8C})
_OURS = frozenset({0x81, 0x82, 0x85, 0x90, 0x93, 0x94, 0x95, 0x99, 0x9A, 0x9B})


class BrokerRefusal(OutputFailure):
    """The broker said no: ``reason_code`` is its own word, in CONNACK or DISCONNECT."""

    def __init__(self, reason_code: int, packet: str) -> None:
        super().__init__(_code(reason_code), f"{packet} 0x{reason_code:02X}")
        self.reason_code = reason_code
        self.packet = packet


def lost_failure(sock: FramedSocket, otherwise: str) -> OutputFailure:
    """Why a connection ended: the broker's reason where it gave one."""
    if sock.disconnect_code is not None:
        return BrokerRefusal(sock.disconnect_code, "DISCONNECT")
    if sock.connack_code:
        return BrokerRefusal(sock.connack_code, "CONNACK")
    return OutputFailure("broker_unavailable", otherwise)


def _code(reason_code: int) -> str:
    if reason_code in _NOT_AUTHORIZED:
        return "not_authorized"
    if reason_code == SESSION_TAKEN_OVER:
        return "client_id_conflict"
    return "protocol_error" if reason_code in _OURS else "broker_unavailable"
