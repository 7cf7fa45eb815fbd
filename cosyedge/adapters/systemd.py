"""The service manager, told through its notify socket (sd_notify(3)); nothing without one."""

import os
import socket
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from importlib import import_module

Send = Callable[[str], object]


class Notifier:
    """Satisfy :class:`cosyedge.service.ports.Notifier`. Never raises and never waits."""

    def __init__(self, send: Send, watchdog_period_s: float | None = None) -> None:
        self._send = send
        self._watchdog_period_s = watchdog_period_s

    @classmethod
    def from_environment(cls, environ: MutableMapping[str, str] = os.environ) -> "Notifier":
        """Take NOTIFY_SOCKET and WATCHDOG_USEC out of the environment: children have no part."""
        address = environ.get("NOTIFY_SOCKET", "")
        send = _sender(address)
        period_s = _watchdog_period_s(environ)
        for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
            environ.pop(name, None)
        return cls(send, period_s)

    @property
    def watchdog_period_s(self) -> float | None:
        """How often WATCHDOG=1 is due (half of WatchdogSec=), None where nobody waits for it."""
        return self._watchdog_period_s

    def ready(self, status: str) -> None:
        """Say that announcements are taken; also the end of a reload."""
        self._send(f"READY=1\nSTATUS={_one_line(status)}")

    def status(self, text: str) -> None:
        """Say one line for ``systemctl status``."""
        self._send(f"STATUS={_one_line(text)}")

    def watchdog(self) -> None:
        """Say that every part is alive; call it only when that is so."""
        self._send("WATCHDOG=1")

    def reloading(self) -> None:
        """Say that the configuration is read again; :meth:`ready` ends it."""
        now_usec = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._send(f"RELOADING=1\nMONOTONIC_USEC={now_usec}")

    def stopping(self) -> None:
        """Say that the end has begun."""
        self._send("STOPPING=1\nSTATUS=stopping")

    def extend_timeout(self, seconds: float) -> None:
        """Ask for so much time from now on, to start, to stop or to reload."""
        self._send(f"EXTEND_TIMEOUT_USEC={int(seconds * 1e6)}")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _watchdog_period_s(environ: MutableMapping[str, str]) -> float | None:
    limit_usec = environ.get("WATCHDOG_USEC", "")
    whose = environ.get("WATCHDOG_PID", "")
    if not limit_usec.isdecimal() or int(limit_usec) == 0:
        return None
    if whose and whose != str(os.getpid()):
        return None
    return int(limit_usec) / 2e6


def _sender(address: str) -> Send:
    if not address:
        return lambda _: None
    try:
        daemon = import_module("systemd.daemon")  # systemd-python, where the box has it
    except ImportError:
        return _Datagrams(address).send

    def send(text: str) -> None:
        os.environ["NOTIFY_SOCKET"] = address
        with suppress(OSError):
            daemon.notify(text, unset_environment=True)

    return send


class _Datagrams:
    """Datagrams of our own to a path or (with a leading @) an abstract address."""

    def __init__(self, address: str) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address

    def send(self, text: str) -> None:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            out.sendto(text.encode("utf-8", "replace"), self._address)
