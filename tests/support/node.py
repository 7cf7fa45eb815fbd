"""A real ``cosyedge run`` as a process of its own, in directories of its own."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.support.broker import Broker
from tests.support.listener import Listener, listen

NAME = "box"
BASE = f"cosyedge/{NAME}"

#: Silent, quick and without a pace: what most tests need.
OUTPUTS = """
[outputs.broker]
kind = "mqtt"
pace = "none"
"""


class Node:
    """One node: started, killed and started again over the same directories."""

    def __init__(self, broker: Broker, folder: Path, config: str = OUTPUTS) -> None:
        self.broker = broker
        self.folder = folder
        self.config = folder / "cosyedge.toml"
        self.process: subprocess.Popen[bytes] | None = None
        self.environment: dict[str, str] = {}
        #: What is run, before ``--config``; a launcher of a test's own builds the same daemon.
        self.program: tuple[str, ...] = ("-m", "cosyedge", "run")
        self.configure(config)

    def configure(self, config: str) -> None:
        """Write the configuration behind our own sections; it may go on with [node]."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config.write_text(
            f'[mqtt]\nhost = "{self.broker.host}"\nport = {self.broker.port}\n'
            f"reconnect_min_s = 0.2\n"
            f'[paths]\nstate_dir = "{self.folder}/state"\ncache_dir = "{self.folder}/cache"\n'
            f'[node]\nname = "{NAME}"\n{config}'
        )

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        assert self.process is not None
        return self.process.pid

    @property
    def log(self) -> str:
        """All that it wrote to stderr."""
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self) -> None:
        """Start the process; returns at once."""
        environment = os.environ | {"ORT_DISABLE_TELEMETRY": "1", "HOME": str(self.folder)}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.program, "--config", str(self.config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment | self.environment,
            )

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor."""
        os.kill(self.pid, number)

    async def wait(self, timeout: float = 15.0) -> int:
        """The exit status, once it ended."""
        assert self.process is not None
        return await asyncio.to_thread(self.process.wait, timeout)

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        await self.wait()

    async def stop(self) -> int:
        """SIGTERM, and the exit status."""
        self.signal(signal.SIGTERM)
        return await self.wait()

    def abandon(self) -> None:
        """End it whatever state it is in."""
        if self.process is not None and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGCONT)
                self.process.kill()
            self.process.wait(10)


def workers_of(pid: int) -> list[int]:
    """The process ids of a supervisor's workers."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"--fd" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
    ]


@contextlib.asynccontextmanager
async def running_node(
    broker: Broker, folder: Path, config: str = OUTPUTS, *, wait_for_voice: bool = True
) -> AsyncIterator[tuple[Node, Listener]]:
    """A node that is online, and a listener that heard it coming."""
    node = Node(broker, folder, config)
    async with listen(broker) as listener:
        node.start()
        try:
            await online(listener)
            if wait_for_voice:
                await voice_ready(listener)
            yield node, listener
        finally:
            node.abandon()


async def online(listener: Listener, *, since: float = 0.0) -> None:
    """Return once the node said that it is online, after the loop's time ``since``."""
    await listener.wait(
        lambda heard: (
            heard.topic == f"{BASE}/availability"
            and heard.payload == b"online"
            and heard.at > since
        ),
        timeout=30,
    )


async def voice_ready(listener: Listener) -> None:
    """Return once the worker answers: a self test was spoken into nothing."""
    listener.publish(f"{BASE}/request/selftest", "{}")
    await listener.topic(f"{BASE}/response/selftest", timeout=30)


async def start_speaking(node: Node, listener: Listener) -> None:
    """Start the node and return once it is online and its worker answers."""
    node.start()
    await online(listener)
    await voice_ready(listener)


async def ask(listener: Listener, command: str, payload: str = "{}") -> dict[str, object]:
    """Ask for something and return the last answer's data."""
    topic = f"{BASE}/response/{command}"
    before = sum(heard.topic == topic for heard in listener.heard)
    listener.publish(f"{BASE}/request/{command}", payload)
    answers = await listener.wait(lambda heard: heard.topic == topic, count=before + 1)
    data: dict[str, object] = answers[-1].json["data"]
    return data
