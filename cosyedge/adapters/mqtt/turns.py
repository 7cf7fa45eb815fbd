"""When a connection is read: once a turn of the loop, and not while nobody has room for more."""

import asyncio
from collections.abc import Callable
from typing import Final

#: How long a full inbox is left alone; what comes meanwhile waits in the kernel and the broker.
REST_S: Final = 0.005


class Turns:
    """Calls ``read`` for as long as there is something; it answers whether more is at hand."""

    def __init__(self, fd: int, read: Callable[[], bool], is_full: Callable[[], bool]) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = fd
        self._read = read
        self._is_full = is_full
        self._due: asyncio.Handle | None = None

    def begin(self) -> None:
        """Read from now on."""
        self._loop.add_reader(self._fd, self._readable)

    def end(self) -> None:
        """Read no more."""
        self._loop.remove_reader(self._fd)
        if self._due is not None:
            self._due.cancel()

    def _readable(self) -> None:
        # What lies in our own buffer has its turn already.
        if self._due is None:
            self._turn()

    def _turn(self) -> None:
        self._due = None
        if self._is_full():
            self._loop.remove_reader(self._fd)
            self._due = self._loop.call_later(REST_S, self._go_on)
        elif self._read():
            self._due = self._loop.call_soon(self._turn)

    def _go_on(self) -> None:
        self.begin()
        self._turn()
