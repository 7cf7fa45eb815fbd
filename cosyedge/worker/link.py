"""A worker process as its parent holds it: spawned, spoken to, and surely ended."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from cosyedge.core.errors import EngineFailure
from cosyedge.worker.frames import PREFIX, encode, lengths, parse
from cosyedge.worker.messages import Answer, Order, order_frame, read_answer

# All that a worker inherits: no setting, secret or notify socket of the daemon.
_INHERITED = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHOME",
    "TMPDIR",
    "TZ",
)
_BUFFER_BYTES = 1 << 20
_END_GRACE_S = 1.0


class Link:
    """One worker process and the frames to and from it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, command: tuple[str, ...] = ()) -> "Link":
        """Spawn a worker; ``command`` replaces the program, ``--fd N`` is added to it.

        Raises EngineFailure("engine_unavailable") where the system refuses.
        """
        try:
            ours, theirs = socket.socketpair()
            with theirs:
                reader, writer = await asyncio.open_connection(sock=ours, limit=_BUFFER_BYTES)
                try:
                    process = await _spawn(command or worker_command(), theirs.fileno())
                except BaseException:
                    writer.transport.abort()
                    raise
        except OSError as error:
            raise EngineFailure("engine_unavailable", f"no worker starts: {error}") from error
        return cls(process, reader, writer)

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    def send(self, order: Order) -> None:
        """Send an order; a worker that is gone is noticed by :meth:`answers`.

        Raises FrameError for an order larger than a frame.
        """
        self._writer.write(encode(order_frame(order)))

    async def answers(self) -> AsyncIterator[Answer]:
        """Yield answers until the socket ends; raises FrameError for what is none."""
        while True:
            try:
                header_bytes, body_bytes = lengths(await self._reader.readexactly(PREFIX.size))
                header = await self._reader.readexactly(header_bytes)
                body = await self._reader.readexactly(body_bytes)
            except (asyncio.IncompleteReadError, OSError):
                return
            yield read_answer(parse(header, body))

    def kill(self) -> None:
        """Kill the worker at once, stopped or not."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> str:
        """End the worker: by the end of its socket, by force after a second.

        Returns how it ended: "SIGKILL", "status 1".
        """
        self._writer.transport.abort()
        try:
            async with asyncio.timeout(_END_GRACE_S):
                status = await self._process.wait()
        except TimeoutError:
            self.kill()
            status = await self._process.wait()
        finally:
            # Where the caller was cancelled meanwhile; else it has ended.
            self.kill()
            await self._process.wait()
        return signal.Signals(-status).name if status < 0 else f"status {status}"


async def _spawn(command: tuple[str, ...], fd: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        "--fd",
        str(fd),
        stdin=asyncio.subprocess.DEVNULL,
        pass_fds=(fd,),
        env=worker_environment(os.environ),
        # An interrupt at the terminal is the supervisor's to handle.
        start_new_session=True,
    )


def worker_command() -> tuple[str, ...]:
    """Return the program that runs a worker under this interpreter."""
    return (sys.executable, "-P", "-m", "cosyedge.worker")


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the worker's environment, cut down from ours."""
    inherited = {name: environment[name] for name in _INHERITED if name in environment}
    # Where cosyedge lies, should it run from a checkout; ours comes last, it shadows nothing.
    package = Path(__file__).resolve().parents[2]
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join([*(p for p in sys.path if p), str(package)]),
        "OPENBLAS_NUM_THREADS": "1",
        "ORT_DISABLE_TELEMETRY": "1",
    }
