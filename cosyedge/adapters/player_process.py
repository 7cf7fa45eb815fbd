"""One running player: a process at the far end of a short pipe, watched while it takes bytes."""

import asyncio
import fcntl
import os
import signal
import struct
import termios
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from cosyedge.adapters.player_command import ended_with_parent, open_fault, player_environment
from cosyedge.core.errors import OutputFailure

_COMPLAINT_BYTES: Final = 4096
_PIPE_MAX_BYTES: Final = 65_536
_WORDS_CHARS: Final = 200
_REAP_S: Final = 1.0


class PlayerProcess:
    """Feeds a player without ever waiting for it longer than told. Made by ``start``."""

    def __init__(self, process: asyncio.subprocess.Process, pipe: int, complaints: int) -> None:
        """Take over both descriptors: the pipe's writing end, its standard error's reading end."""
        self._process = process
        self._pipe = pipe
        self._complaints = complaints
        self._accepted_bytes = 0
        self._room = asyncio.Event()
        self._interrupted = False
        self._words = ""

    @classmethod
    async def start(cls, argv: Sequence[str], pipe_bytes: int) -> "PlayerProcess":
        """Start ``argv`` on a pipe that holds about ``pipe_bytes`` (65,536 by default, which is
        1.4 s of sound at 24 kHz). Raises OutputFailure("device_missing")."""
        source, pipe = os.pipe2(os.O_CLOEXEC)
        # Not blocking at the player's end either: what it says beyond 64 KiB is lost, and it is
        # never held up by a daemon that does not listen.
        complaints, errors = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, pipe_bytes)
        os.set_blocking(pipe, False)
        try:
            process = await asyncio.create_subprocess_exec(
                *ended_with_parent(tuple(argv)),
                stdin=source,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=errors,
                env=player_environment(),
                start_new_session=True,
            )
        except OSError as error:
            os.close(pipe)
            os.close(complaints)
            raise OutputFailure("device_missing", f"cannot start {argv[0]}: {error}") from error
        finally:
            os.close(source)
            os.close(errors)
        return cls(process, pipe, complaints)

    async def accept(self, data: memoryview, stuck_s: float) -> int:
        """Hand over what fits of ``data`` and return its size: at least 1, or 0 if interrupted.

        Raises OutputFailure: device_stuck when nothing was taken for ``stuck_s``; when the
        player is gone, what its end tells.
        """
        self._interrupted = False
        accepted = await self._offer(data)
        if not accepted:
            await self._writable(stuck_s)
            # A loop that was late itself finds room now; a stuck player leaves none.
            accepted = await self._offer(data)
        if not accepted and not self._interrupted:
            raise OutputFailure("device_stuck", f"the player took nothing for {stuck_s:g} s")
        self._accepted_bytes += accepted
        return accepted

    def interrupt(self) -> None:
        """Have a waiting ``accept`` return at once."""
        self._interrupted = True
        self._room.set()

    def unread_bytes(self) -> int:
        """What lies in the pipe, not yet taken by the player."""
        if self._pipe < 0:
            return 0
        count = fcntl.ioctl(self._pipe, termios.FIONREAD, b"\0\0\0\0")
        return int(struct.unpack("i", count)[0])

    def take_back(self) -> bytes:
        """Take what the player has not read yet out of the pipe again: whole samples."""
        if self._pipe < 0:
            return b""
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            reader = os.open(f"/proc/self/fd/{self._pipe}", flags)
        except OSError:
            return b""
        try:
            data = os.read(reader, _PIPE_MAX_BYTES)
        except BlockingIOError:
            return b""
        finally:
            os.close(reader)
        # A player that stopped inside a sample gets the other half of it.
        half = len(data) % 2
        if half:
            with suppress(OSError):
                os.write(self._pipe, data[:half])
        self._accepted_bytes -= len(data) - half
        return data[half:]

    def close_input(self) -> None:
        """Tell the player that no more will come; what the pipe holds still sounds."""
        if self._pipe >= 0:
            asyncio.get_running_loop().remove_writer(self._pipe)
            os.close(self._pipe)
            self._pipe = -1

    async def ended(self, timeout_s: float) -> bool:
        """Wait for the player's end; False if it goes on after ``timeout_s``."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), timeout_s)
        return self.has_ended

    async def failure(self) -> OutputFailure:
        """Say why the player ended early, by its last words and whether it took any sample."""
        took_some = self.has_taken_some
        await self.ended(_REAP_S)
        status = self._process.returncode
        await self.end()
        words = self._words or f"it ended with status {status}"
        code = "device_lost" if took_some else open_fault(words)
        return OutputFailure(code, f"the player failed: {words}")

    @property
    def has_taken_some(self) -> bool:
        """Whether the player has read any of what it was given."""
        return self._accepted_bytes > self.unread_bytes()

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.returncode is not None

    @property
    def failed(self) -> bool:
        """Whether it ended with a status other than 0."""
        return self._process.returncode not in (None, 0)

    async def end(self) -> None:
        """Kill it with all that it started, reap it, give the descriptors back; idempotent."""
        self.close_input()
        if not self.has_ended:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        await self.ended(_REAP_S)
        if self._complaints >= 0:
            self._words = _last_words(self._complaints)
            os.close(self._complaints)
            self._complaints = -1

    async def _offer(self, data: memoryview) -> int:
        try:
            return os.write(self._pipe, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise await self.failure() from error

    async def _writable(self, timeout_s: float) -> None:
        loop, pipe = asyncio.get_running_loop(), self._pipe
        self._room.clear()
        loop.add_writer(pipe, self._room.set)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._room.wait(), timeout_s)
        finally:
            # Closed meanwhile, its number may be another's by now.
            if self._pipe == pipe:
                loop.remove_writer(pipe)


def _last_words(complaints: int) -> str:
    """The last line of what the player said, made fit for a log."""
    try:
        said = os.read(complaints, _COMPLAINT_BYTES).decode("utf-8", "replace")
    except BlockingIOError:
        return ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    last = lines[-1][:_WORDS_CHARS] if lines else ""
    return "".join(character if character.isprintable() else "?" for character in last)
