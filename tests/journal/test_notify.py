"""The service manager's notify socket, with and without systemd-python."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyedge.adapters.systemd import Notifier


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    name = f"cosyedge-test-{os.getpid()}"
    address = str(tmp_path / "notify") if request.param == "path" else f"@{name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}" if request.param == "abstract" else address)
        listening.settimeout(10)
        yield listening, address


def lines(listening: socket.socket) -> list[str]:
    return listening.recv(65536).decode().strip().split("\n")


def test_every_word_reaches_the_manager(manager: tuple[socket.socket, str]) -> None:
    listening, address = manager
    notifier = Notifier.from_environment({"NOTIFY_SOCKET": address})
    notifier.ready("ready: 2 zones\nNOTREADY=1")
    assert lines(listening) == ["READY=1", "STATUS=ready: 2 zones NOTREADY=1"]
    notifier.status("degraded: disk")
    assert lines(listening) == ["STATUS=degraded: disk"]
    notifier.watchdog()
    assert lines(listening) == ["WATCHDOG=1"]
    notifier.extend_timeout(2.5)
    assert lines(listening) == ["EXTEND_TIMEOUT_USEC=2500000"]
    notifier.stopping()
    assert lines(listening) == ["STOPPING=1", "STATUS=stopping"]


def test_reload_carries_the_time_of_its_begin(manager: tuple[socket.socket, str]) -> None:
    listening, address = manager
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    Notifier.from_environment({"NOTIFY_SOCKET": address}).reloading()
    word, stamp = lines(listening)
    assert word == "RELOADING=1"
    usec = int(stamp.removeprefix("MONOTONIC_USEC="))
    assert before <= usec <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


def test_without_a_manager_nothing_happens() -> None:
    notifier = Notifier.from_environment({})
    notifier.ready("ready")
    assert notifier.watchdog_period_s is None


def test_a_manager_that_is_gone_is_no_error(tmp_path: Path) -> None:
    Notifier.from_environment({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("ready")


def test_a_manager_that_does_not_read_never_blocks(manager: tuple[socket.socket, str]) -> None:
    _, address = manager
    notifier = Notifier.from_environment({"NOTIFY_SOCKET": address})
    for _ in range(5_000):
        notifier.watchdog()


@pytest.mark.parametrize(
    ("usec", "whose", "period_s"),
    [
        ("30000000", str(os.getpid()), 15.0),
        ("30000000", "", 15.0),
        ("30000000", "1", None),
        ("0", "", None),
        ("soon", "", None),
    ],
)
def test_watchdog_is_due_at_half_its_limit(usec: str, whose: str, period_s: float | None) -> None:
    environ = {"WATCHDOG_USEC": usec, "WATCHDOG_PID": whose}
    assert Notifier.from_environment(environ).watchdog_period_s == period_s


def test_children_inherit_no_socket() -> None:
    environ = {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "HOME": "/"}
    Notifier.from_environment(environ)
    assert environ == {"HOME": "/"}


def test_systemd_python_is_used_where_it_is_installed(tmp_path: Path) -> None:
    package = tmp_path / "systemd"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "daemon.py").write_text(
        "def notify(text, unset_environment=False):\n    print(text, unset_environment)\n"
    )
    (package / "journal.py").write_text("def sendv(*fields):\n    print(*fields)\n")
    program = (
        "from cosyedge.adapters.systemd import Notifier\n"
        "from cosyedge.adapters.journald import journal_writer\n"
        "Notifier.from_environment({'NOTIFY_SOCKET': '/run/x'}).watchdog()\n"
        "journal_writer()({'MESSAGE': 'hello', 'COSYEDGE_ID': 'a'})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["WATCHDOG=1 True", "MESSAGE=hello COSYEDGE_ID=a"]
