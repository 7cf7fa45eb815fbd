"""A service manager of the test: the notify socket on which a daemon tells how it is."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from tests.support.node import Node


class Manager:
    """Keeps every line that was sent to it, in order."""

    def __init__(self, sock: socket.socket) -> None:
        self.lines: list[str] = []
        self._sock = sock

    async def wait(self, wanted: Callable[[list[str]], bool], timeout: float = 30.0) -> None:
        """Return once the lines are as wanted; fails at the deadline."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                while not wanted(self.lines):
                    self.lines += (await loop.sock_recv(self._sock, 65536)).decode().splitlines()
        except TimeoutError:
            raise AssertionError(f"not told within {timeout} s: {self.lines[-9:]}") from None

    async def more(self, count: int, line: str = "WATCHDOG=1", timeout: float = 30.0) -> None:
        """Wait for ``count`` further lines of one kind."""
        enough = self.lines.count(line) + count
        await self.wait(lambda lines: lines.count(line) >= enough, timeout)

    async def status(self, *words: str, timeout: float = 30.0) -> None:
        """Wait for a status line, from now on, that holds all ``words``."""
        seen = len(self.lines)
        await self.wait(
            lambda lines: any(
                line.startswith("STATUS=") and all(word in line for word in words)
                for line in lines[seen:]
            ),
            timeout,
        )


@contextlib.asynccontextmanager
async def managed(node: Node, folder: Path, *, watchdog_s: float = 1.5) -> AsyncIterator[Manager]:
    """Give a node, before its start, a manager that wants WATCHDOG=1 every ``watchdog_s``."""
    path = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.setblocking(False)
        sock.bind(str(path))
        node.environment |= {
            "NOTIFY_SOCKET": str(path),
            "WATCHDOG_USEC": str(int(watchdog_s * 1e6)),
        }
        yield Manager(sock)
