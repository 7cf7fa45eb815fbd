"""Resolve, dial and shake hands: everything that blocks, in one thread with a deadline."""

import asyncio
import socket
import ssl
import threading
from dataclasses import dataclass

from cosyedge.adapters.mqtt.settings import MqttSettings, TlsFiles
from cosyedge.core.errors import OutputFailure


@dataclass(frozen=True, slots=True)
class Line:
    """An open connection, with TLS where it is wanted."""

    sock: socket.socket
    certificate_expires_at: float | None = None


class Dialer:
    """Dials in a thread of its own, one at a time.

    A name server may hold a thread for minutes: the attempt is given up, the thread is left to
    end by itself, and no second one is started meanwhile.
    """

    def __init__(self, settings: MqttSettings) -> None:
        self._settings = settings
        self._thread: threading.Thread | None = None

    async def dial(self) -> Line:
        """Raises OutputFailure: broker_unavailable or tls."""
        if self._thread is not None and self._thread.is_alive():
            raise OutputFailure("broker_unavailable", "the last attempt still waits for an answer")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Line] = loop.create_future()
        self._thread = threading.Thread(
            target=self._work, args=(loop, answer), name="mqtt-dial", daemon=True
        )
        self._thread.start()
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                return await answer
        except TimeoutError as error:
            raise OutputFailure("broker_unavailable", "no connection in time") from error

    def _work(self, loop: asyncio.AbstractEventLoop, answer: asyncio.Future[Line]) -> None:
        try:
            line = _open(self._settings)
        except OutputFailure as failure:
            _hand_over(loop, answer, failure)
        else:
            if not _hand_over(loop, answer, line):
                line.sock.close()


def _hand_over(
    loop: asyncio.AbstractEventLoop, answer: asyncio.Future[Line], result: Line | OutputFailure
) -> bool:
    """Give the result to the loop; False where the loop has ended."""

    def settle() -> None:
        if answer.done():
            if isinstance(result, Line):
                result.sock.close()
        elif isinstance(result, Line):
            answer.set_result(result)
        else:
            answer.set_exception(result)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        return False
    return True


def _open(settings: MqttSettings) -> Line:
    """Connect and hand back a socket that doesn't block."""
    try:
        sock = socket.create_connection(
            (settings.host, settings.port), timeout=settings.connect_timeout_s
        )
    except (OSError, UnicodeError) as error:
        raise OutputFailure("broker_unavailable", f"cannot connect: {error}") from error
    # 200-byte messages at QoS 1: 1,000 a second with Nagle's algorithm, 5,400 without.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if settings.tls is None:
        sock.setblocking(False)
        return Line(sock)
    return _secure(sock, settings.host, settings.tls)


def _secure(sock: socket.socket, host: str, files: TlsFiles) -> Line:
    """Shake hands with a context made anew: certificates are renewed while we run."""
    try:
        context = ssl.create_default_context(cafile=files.ca_file)
        if files.cert_file is not None:
            context.load_cert_chain(files.cert_file, files.key_file)
        secured = context.wrap_socket(sock, server_hostname=host)
    except (OSError, ValueError) as error:
        sock.close()
        raise OutputFailure("tls", f"TLS: {error}") from error
    secured.setblocking(False)
    certificate = secured.getpeercert() or {}
    expires = certificate.get("notAfter")
    return Line(secured, ssl.cert_time_to_seconds(expires) if isinstance(expires, str) else None)
