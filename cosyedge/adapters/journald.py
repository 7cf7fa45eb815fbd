"""Entries for systemd's journal with fields of our own, in its native protocol.

Source: systemd.io, "Native Journal Protocol"; an entry too large for a datagram goes as a
sealed memfd.
"""

import array
import errno
import fcntl
import os
import socket
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module

SOCKET_PATH = "/run/systemd/journal/socket"

Write = Callable[[Mapping[str, str]], None]


def journal_is_stderr(environ: Mapping[str, str] = os.environ, descriptor: int = 2) -> bool:
    """Whether stderr goes to the journal: JOURNAL_STREAM names its device and inode."""
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        status = os.fstat(descriptor)
    except OSError:
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


def journal_writer(path: str = SOCKET_PATH) -> Write:
    """A function that writes one entry: systemd-python's where the box has it, else ours.

    It never raises and never waits: what the journal does not take is lost.
    """
    try:
        journal = import_module("systemd.journal")  # systemd-python
    except ImportError:
        return NativeJournal(path).write

    def write(fields: Mapping[str, str]) -> None:
        with suppress(OSError):
            journal.sendv(*(f"{name}={value}" for name, value in fields.items()))

    return write


class NativeJournal:
    """The journal's socket; a datagram an entry, so that it may restart at any time."""

    def __init__(self, path: str = SOCKET_PATH) -> None:
        self._path = path

    def write(self, fields: Mapping[str, str]) -> None:
        """Send one entry."""
        entry = encode(fields)
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            try:
                out.sendto(entry, self._path)
            except OSError as error:
                if error.errno in (errno.EMSGSIZE, errno.ENOBUFS):
                    self._send_as_file(out, entry)

    def _send_as_file(self, out: socket.socket, entry: bytes) -> None:
        descriptor = os.memfd_create("journal-entry", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                file.write(entry)
            seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))
            out.sendmsg([], [rights], 0, self._path)
        finally:
            os.close(descriptor)


def encode(fields: Mapping[str, str]) -> bytes:
    """The entry's bytes: NAME=value a line, or name, length and value where it has several."""
    parts = []
    for name, value in fields.items():
        raw = value.encode("utf-8", "replace")
        if b"\n" in raw:
            parts.append(name.encode("ascii") + b"\n" + struct.pack("<Q", len(raw)) + raw)
        else:
            parts.append(name.encode("ascii") + b"=" + raw)
    return b"\n".join(parts) + b"\n"
