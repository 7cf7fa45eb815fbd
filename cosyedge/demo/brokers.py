"""A broker for the demonstration, on a free port of 127.0.0.1: mosquitto, else rumqttd's wheel."""

import contextlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from cosyedge.core.errors import SettingsError

HOST = "127.0.0.1"
START_DEADLINE_S = 15.0
_POLL_S = 0.01

Kind: TypeAlias = Literal["auto", "mosquitto", "iotcore"]

MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
log_dest none
"""
# rumqttd speaks MQTT 5 on a port of its own only; its keyword arguments would give 3.1.1.
RUMQTTD = """\
id = 0
[router]
id = 0
max_connections = 20
max_outgoing_packet_count = 200
max_segment_size = 10485760
max_segment_count = 10
[v5.1]
name = "v5"
listen = "127.0.0.1:{port}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 60000
max_payload_size = 4194304
max_inflight_count = 100
dynamic_filters = true
"""


@dataclass(frozen=True, slots=True)
class RunningBroker:
    """Where a broker listens, and which one it is."""

    name: str
    host: str
    port: int


@contextlib.contextmanager
def running_broker(
    directory: Path, kind: Kind = "auto", lines: Sequence[str] = ()
) -> Iterator[RunningBroker]:
    """Start a broker whose files are in ``directory``; it is ended on leaving.

    ``lines`` are further lines of mosquitto.conf.
    Raises SettingsError where neither broker is installed, or the one asked for is not.
    """
    port = free_port()
    name, command = _command(directory, kind, port, lines)
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"IOTCORE_LOG_LEVEL": "ERROR"},
    )
    try:
        _wait_until_it_listens(process, port)
        yield RunningBroker(name, HOST, port)
    finally:
        process.terminate()
        process.wait(START_DEADLINE_S)
        if process.stdin is not None:
            process.stdin.close()


def free_port() -> int:
    """Find a port of 127.0.0.1 that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def find_mosquitto() -> str | None:
    """Find mosquitto, which Debian keeps out of an ordinary user's path."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def _command(directory: Path, kind: Kind, port: int, lines: Sequence[str]) -> tuple[str, list[str]]:
    mosquitto = find_mosquitto()
    config = directory / "broker.conf"
    if mosquitto is not None and kind != "iotcore":
        text = MOSQUITTO.format(port=port) + "".join(f"{line}\n" for line in lines)
        config.write_text(text, "utf-8")
        return "mosquitto", [mosquitto, "-c", str(config)]
    if importlib.util.find_spec("iotcore") is not None and kind != "mosquitto":
        config = directory / "broker.toml"
        config.write_text(RUMQTTD.format(port=port), "utf-8")
        return "iotcore", [sys.executable, "-m", "iotcore", "--config", str(config)]
    wanted = "mosquitto" if kind == "mosquitto" else "mosquitto or iotcore"
    raise SettingsError("settings", f"no broker: install {wanted} (sudo apt install mosquitto)")


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(_POLL_S)
    raise SettingsError("settings", "the broker of the demonstration does not start")
