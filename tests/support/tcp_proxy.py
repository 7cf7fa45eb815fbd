"""A small TCP proxy for network faults: resets, stalls, slow links, half-open connections."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TcpProxy:
    """Stands before a port of 127.0.0.1.

    ``stalled`` holds all bytes back while the connections stay open; ``bytes_per_s`` slows the
    way from the client to the server.
    """

    def __init__(self, target_port: int) -> None:
        self.port = 0
        self.bytes_per_s: float | None = None
        self.connections = 0
        self._target_port = target_port
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def stall(self) -> None:
        """Neither way lets a byte through any more."""
        self._flowing.clear()

    def flow(self) -> None:
        """Let bytes through again."""
        self._flowing.set()

    def reset(self) -> None:
        """Break all connections with a TCP reset."""
        for writer in self._writers:
            if not writer.is_closing():
                sock = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
        self._writers.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client."""
        self.connections += 1
        try:
            upstream = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.close()
            return
        self._writers += [writer, upstream[1]]
        for source, sink, slow in ((reader, upstream[1], True), (upstream[0], writer, False)):
            task = asyncio.create_task(self._copy(source, sink, slow=slow))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End all connections."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.close()

    async def _copy(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, slow: bool
    ) -> None:
        try:
            while data := await source.read(4096):
                await self._flowing.wait()
                if slow and self.bytes_per_s:
                    await asyncio.sleep(len(data) / self.bytes_per_s)
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            sink.close()


@asynccontextmanager
async def tcp_proxy(target_port: int) -> AsyncIterator[TcpProxy]:
    """A proxy on a free port."""
    proxy = TcpProxy(target_port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, limit=4096)
    # A small window, so that what is held back is held back at the sender.
    for sock in server.sockets:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
        await server.wait_closed()
