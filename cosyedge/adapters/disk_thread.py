"""One thread for one disk: in order, off the event loop, and given up when the disk hangs."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from cosyedge.core.errors import StorageFailure

T = TypeVar("T")


class DiskThread:
    """Runs blocking calls one after the other; a call that was begun is never taken back."""

    def __init__(self, name: str, deadline_s: float) -> None:
        """Begin with no thread; ``deadline_s`` bounds what one call may take."""
        self._deadline_s = deadline_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._hung: asyncio.Future[Any] | None = None

    async def run(self, call: Callable[..., T], *args: Any, **options: Any) -> T:
        """Return or raise what ``call`` does.

        Raises StorageFailure("disk") after the deadline, and at once while that call hangs.
        """
        if self._hung is not None and not self._hung.done():
            raise StorageFailure("disk", "the disk does not answer")
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._thread, lambda: call(*args, **options))
        done, _ = await asyncio.wait({future}, timeout=self._deadline_s)
        if done:
            return future.result()
        self._hung = future
        future.add_done_callback(_ignore_outcome)
        raise StorageFailure("disk", "the disk does not answer")

    def close(self) -> None:
        """Let the call in work end, drop those that wait."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _ignore_outcome(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()
