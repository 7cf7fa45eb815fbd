"""The worker process: what it imports, what it prints, how it dies."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from cosyedge.worker.frames import PREFIX, Frame, encode, lengths, parse
from cosyedge.worker.link import worker_command, worker_environment
from cosyedge.worker.messages import (
    Done,
    Failed,
    Load,
    Ping,
    Pong,
    Ready,
    Speak,
    Spoken,
    order_frame,
    read_answer,
)
from tests.support.voices import hibari, say

FOUND = hibari()
LOAD = Load(FOUND.voice, str(FOUND.folder), {"threads": 1})


class Child:
    """A worker process driven by hand."""

    def __init__(self, *, command: tuple[str, ...] = worker_command()) -> None:
        self.ours, theirs = socket.socketpair()
        self.stream = self.ours.makefile("rb")
        with theirs:
            self.process = subprocess.Popen(
                [*command, "--fd", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=worker_environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *exc: object) -> None:
        self.hang_up()
        self.process.kill()
        self.process.communicate()

    def send(self, order: object) -> None:
        self.ours.sendall(encode(order_frame(order)))

    def answer(self) -> object:
        header_bytes, body_bytes = lengths(self.stream.read(PREFIX.size))
        return read_answer(parse(self.stream.read(header_bytes), self.stream.read(body_bytes)))

    def hang_up(self) -> None:
        self.stream.close()
        self.ours.close()


def test_it_loads_speaks_and_answers_pings_in_order() -> None:
    with Child() as child:
        child.send(LOAD)
        child.send(Speak(1, (say("One."), say("Two."))))
        child.send(Ping(2))
        ready = child.answer()
        assert isinstance(ready, Ready)
        assert ready.rate_hz == 24_000
        assert ready.rss_bytes < 280 << 20
        answers = [child.answer() for _ in range(4)]
    assert [type(answer) for answer in answers] == [Spoken, Spoken, Done, Pong]


def test_it_speaks_nothing_before_a_load() -> None:
    with Child() as child:
        child.send(Speak(1, (say("One."),)))
        answer = child.answer()
    assert isinstance(answer, Failed)
    assert answer.code == "engine_unavailable"


def test_settings_that_it_does_not_know_fail_the_load_and_not_the_loop() -> None:
    with Child() as child:
        child.send(Load(FOUND.voice, str(FOUND.folder), {"turbo": True}))
        answer = child.answer()
        child.send(Ping(1))
        assert isinstance(child.answer(), Pong)
    assert isinstance(answer, Failed)
    assert answer.code == "engine_error"


def test_it_ends_with_its_socket() -> None:
    with Child() as child:
        child.send(Ping(1))
        child.answer()
        child.hang_up()
        assert child.process.wait(10) == 0


def test_it_ends_with_its_socket_in_the_middle_of_a_run() -> None:
    with Child() as child:
        child.send(LOAD)
        child.answer()
        child.send(Speak(1, tuple(say("The washing machine is done, " * 15) for _ in range(200))))
        child.answer()
        child.hang_up()
        assert child.process.wait(10) == 0


@pytest.mark.parametrize("junk", [b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"CEW1" + b"\xff" * 60])
def test_it_ends_when_its_parent_makes_no_sense(junk: bytes) -> None:
    with Child() as child:
        child.ours.sendall(junk)
        assert child.process.wait(10) == 1


@pytest.mark.parametrize("header", [{"op": "explode"}, {"op": "speak", "id": 1, "requests": [1]}])
def test_it_ends_at_a_frame_that_is_no_order(header: dict) -> None:
    with Child() as child:
        child.ours.sendall(encode(Frame(header)))
        assert child.process.wait(10) == 1


ORPHANED = """
import os, socket, subprocess, sys
from cosyedge.worker.link import worker_command, worker_environment
ours, theirs = socket.socketpair()
fd = theirs.fileno()
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
environment = worker_environment(os.environ)
command = [*worker_command(), "--fd", str(fd)]
child = subprocess.Popen(command, pass_fds=[fd], env=environment, **quiet)
held = os.dup(ours.fileno())
os.set_inheritable(held, True)
# Somebody else keeps our end of the socket open, so its end cannot tell.
keeper = subprocess.Popen(["sleep", "60"], pass_fds=[held], **quiet)
ours.sendall(bytes.fromhex(sys.argv[1]))
ours.recv(1)
print(child.pid, keeper.pid, flush=True)
os.kill(os.getpid(), 9)
"""


def test_it_dies_with_its_parent_though_the_socket_stays_open() -> None:
    ping = encode(order_frame(Ping(1))).hex()
    parent = subprocess.run(
        [sys.executable, "-c", ORPHANED, ping], capture_output=True, text=True, check=False
    )
    child, keeper = (int(pid) for pid in parent.stdout.split())
    try:
        assert parent.returncode == -signal.SIGKILL
        deadline = time.monotonic() + 10
        while _lives(child) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not _lives(child)
        assert _lives(keeper)
    finally:
        os.kill(keeper, signal.SIGKILL)


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_kernel_would_take_it_first_and_it_leaves_no_core() -> None:
    with Child() as child:
        child.send(Ping(1))
        child.answer()
        pid = child.process.pid
        assert Path(f"/proc/{pid}/oom_score_adj").read_text().strip() == "500"
        assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0)


def test_an_interrupt_at_the_terminal_does_not_end_it() -> None:
    with Child() as child:
        child.send(Ping(1))
        child.answer()
        child.process.send_signal(signal.SIGINT)
        child.send(Ping(2))
        assert isinstance(child.answer(), Pong)


PRINTING = """
import os, sys
sys.argv[0] = "worker"
sys.path[:0] = [p for p in os.environ["PYTHONPATH"].split(os.pathsep)]
from cosyedge.engine import registry
import cosyedge.worker.__main__ as program
import cosyedge.worker.main as main
honest = main.engine_module
def noisy(engine):
    print("a stray print")
    os.write(1, b"a stray write\\n")
    return honest(engine)
main.engine_module = noisy
program.main()
"""


def test_stray_prints_go_to_the_log() -> None:
    with Child(command=(sys.executable, "-c", PRINTING)) as child:
        child.send(LOAD)
        assert isinstance(child.answer(), Ready)
        child.send(Ping(1))
        assert isinstance(child.answer(), Pong)
        child.hang_up()
        printed, logged = child.process.communicate(timeout=10)
    assert printed == b""
    assert b"a stray write" in logged


IMPORTED = """
import importlib, sys
for name in sys.argv[1].split(","):
    importlib.import_module(name)
print(*sys.modules)
"""


def _imported_with(*modules: str) -> set[str]:
    ran = subprocess.run(
        [sys.executable, "-c", IMPORTED, ",".join(modules)],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in ran.stdout.split()} | set(ran.stdout.split())


def test_the_worker_imports_nothing_of_the_daemon() -> None:
    imported = _imported_with("cosyedge.worker.main", "cosyedge.engine.hibari")
    assert "onnxruntime" in imported
    forbidden = {"asyncio", "pydantic", "paho", "psutil", "ssl", "cosyedge.config", "typer"}
    assert not imported & forbidden
    assert not imported & {"cosyedge.service", "cosyedge.wire", "cosyedge.adapters"}


def test_the_clients_side_imports_no_engine() -> None:
    imported = _imported_with("cosyedge.worker.pool", "cosyedge.adapters.voice_folder")
    assert not imported & {"onnxruntime", "hibari", "cosyedge.engine"}


def test_the_worker_inherits_no_secret() -> None:
    ours = {"PATH": "/bin", "COSYEDGE_MQTT__PASSWORD": "x", "NOTIFY_SOCKET": "y"}
    environment = worker_environment({**ours, "CREDENTIALS_DIRECTORY": "/z"})
    assert environment["PATH"] == "/bin"
    assert not environment.keys() & {
        "COSYEDGE_MQTT__PASSWORD",
        "NOTIFY_SOCKET",
        "CREDENTIALS_DIRECTORY",
    }
