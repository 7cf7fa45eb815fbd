"""A real mosquitto as an unprivileged process on a free port of 127.0.0.1."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Tls:
    """Files for a listener with TLS; ``require_client`` asks for a client certificate."""

    ca: Path
    certificate: Path
    key: Path
    require_client: bool = False


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Broker:
    """A mosquitto that can be stopped, restarted, frozen and thawed.

    ``lines`` are further lines of mosquitto.conf (max_packet_size, max_inflight_messages, ...);
    ``acl`` is the text of an ACL file, ``passwords`` maps a user to a password (and then
    nobody else may connect). Its directory is removed at the end.
    """

    def __init__(
        self,
        *,
        persistence: bool = False,
        acl: str | None = None,
        tls: Tls | None = None,
        passwords: dict[str, str] | None = None,
        lines: Iterable[str] = (),
    ) -> None:
        self.host = HOST
        self.port = free_port()
        self._user = "nobody" if os.geteuid() == 0 else None
        self._dir = Path(tempfile.mkdtemp(prefix="cosyedge-broker-"))
        weakref.finalize(self, shutil.rmtree, self._dir, ignore_errors=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = [
            f"listener {self.port} {HOST}",
            f"allow_anonymous {'false' if passwords else 'true'}",
            "set_tcp_nodelay true",
            "log_dest none",
            *self._persistence(persistence),
            *self._files(acl, passwords),
            *self._tls(tls),
            *lines,
        ]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self._dir, ignore_errors=True)

    def start(self, deadline_s: float = 20.0) -> None:
        """Start it and return once it listens (about 20 ms)."""
        program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if program is None:
            pytest.skip("mosquitto is not installed: apt install mosquitto")
        config = self._write("mosquitto.conf", "\n".join(self._lines) + "\n")
        if self._user is not None:
            shutil.chown(self._dir, self._user)
        self._process = subprocess.Popen(
            [program, "-c", str(config)],
            user=self._user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_it_listens(time.monotonic() + deadline_s)

    def stop(self) -> None:
        """End it in an orderly way (a persistent one writes its store)."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop and start it on the same port."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """SIGSTOP: the sockets stay open, nothing answers."""
        self._running().send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT after :meth:`freeze`."""
        self._running().send_signal(signal.SIGCONT)

    def rewrite(self, name: str, text: str) -> None:
        """Replace a file of its directory (acl, password); SIGHUP reads it again."""
        self._write(name, text)
        self._running().send_signal(signal.SIGHUP)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._running().pid

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the broker is not running"
        return self._process

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        process.wait(20)

    def _wait_until_it_listens(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            if self._running().poll() is not None:
                raise AssertionError(f"mosquitto ended at once: {self._lines}")
            try:
                socket.create_connection((HOST, self.port), timeout=1).close()
            except OSError:
                time.sleep(0.005)
            else:
                return
        raise AssertionError("mosquitto does not listen")

    def _write(self, name: str, text: str) -> Path:
        path = self._dir / name
        path.write_text(text)
        path.chmod(0o600)
        if self._user is not None:
            shutil.chown(path, self._user)
        return path

    def _persistence(self, wanted: bool) -> list[str]:
        if not wanted:
            return ["persistence false"]
        return [
            "persistence true",
            f"persistence_location {self._dir}/",
            "autosave_interval 1",
            "autosave_on_changes true",
        ]

    def _files(self, acl: str | None, passwords: dict[str, str] | None) -> list[str]:
        lines = []
        if acl is not None:
            lines.append(f"acl_file {self._write('acl', acl)}")
        if passwords:
            path = self._write("password", "".join(f"{u}:{p}\n" for u, p in passwords.items()))
            subprocess.run(["mosquitto_passwd", "-U", str(path)], check=True, capture_output=True)
            if self._user is not None:
                shutil.chown(path, self._user)
            lines.append(f"password_file {path}")
        return lines

    def _tls(self, tls: Tls | None) -> list[str]:
        if tls is None:
            return []
        copies = [
            self._write(name, source.read_text())
            for name, source in (("ca", tls.ca), ("crt", tls.certificate), ("key", tls.key))
        ]
        return [
            f"cafile {copies[0]}",
            f"certfile {copies[1]}",
            f"keyfile {copies[2]}",
            f"require_certificate {str(tls.require_client).lower()}",
        ]
