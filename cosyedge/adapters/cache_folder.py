"""The phrase cache's folder: named blobs that appear whole or not at all. Every call blocks.

``<key>.phrase`` may be evicted, ``<key>.pinned`` may not: a pin is a rename, and a listing tells
everything that has to be known at start. Files of other names are left alone.
"""

import fcntl
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cosyedge.core.errors import StorageFailure

KEY: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"([0-9a-f]{64})\.(phrase|pinned)")
_INCOMING: Final = ".incoming"
_LOCK: Final = "lock"
_MAX_BYTES: Final = 64 * 2**20
_PROBE_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of the listing; ``used_at`` is its time of change (wall-clock s)."""

    key: str
    size_bytes: int
    used_at: float
    pinned: bool


class PhraseFolder:
    """One folder, used by one daemon at a time."""

    def __init__(self, path: Path, *, reserve_bytes: int = 16 * 2**20) -> None:
        """Touch nothing yet; ``reserve_bytes`` of the disk are left to others (the journal)."""
        self.path = path
        self.foreign = 0
        self._reserve_bytes = reserve_bytes
        self._folder = -1
        self._lock = -1

    @property
    def is_open(self) -> bool:
        """Whether the folder is locked and listed."""
        return self._folder >= 0

    def open(self) -> list[Blob]:
        """Make, lock and list the folder, oldest use first; sweep what a kill left behind.

        Raises StorageFailure: in_use where another daemon holds it, disk where it cannot be.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise _failure(error) from error
        try:
            self._lock = _take_lock(folder, self.path)
            with suppress(OSError):
                os.unlink(_INCOMING, dir_fd=folder)
            blobs = self._list(folder)
        except OSError as error:
            self._release(folder)
            raise _failure(error) from error
        except StorageFailure:
            self._release(folder)
            raise
        self._folder = folder
        return blobs

    def close(self) -> None:
        """Let another daemon have it."""
        if self.is_open:
            self._release(self._folder)
            self._folder = -1

    def read(self, key: str) -> bytes | None:
        """The bytes of an entry, None where there is none.

        Raises StorageFailure: corrupt for what is no plain file, disk where reading fails.
        """
        for name in _names(key):
            # NONBLOCK: a FIFO under our name must not hold us up. NOFOLLOW: nor lead us away.
            flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            try:
                descriptor = os.open(name, flags, dir_fd=self._folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StorageFailure("corrupt", f"cannot open {name}: {error}") from error
            try:
                return _read_whole(descriptor)
            except OSError as error:
                raise _failure(error) from error
            finally:
                os.close(descriptor)
        return None

    def write(self, key: str, data: bytes, *, pinned: bool) -> None:
        """Put an entry in place by a rename. Raises StorageFailure("disk").

        Only a pinned one is worth an fsync: an entry that a power cut mangles is found by its
        checksum and made again, and an SD card is spared the writes.
        """
        plain, kept = _names(key)
        try:
            self._look_for_room(len(data))
            self._write_incoming(data, sync=pinned)
            target = kept if pinned else plain
            os.rename(_INCOMING, target, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            if pinned:
                os.fsync(self._folder)
                with suppress(FileNotFoundError):
                    os.unlink(plain, dir_fd=self._folder)
        except OSError as error:
            with suppress(OSError):
                os.unlink(_INCOMING, dir_fd=self._folder)
            raise _failure(error) from error

    def probe(self) -> None:
        """Write a file and take it away. Raises StorageFailure("disk")."""
        try:
            self._look_for_room(_PROBE_BYTES)
            self._write_incoming(bytes(_PROBE_BYTES), sync=False)
            os.unlink(_INCOMING, dir_fd=self._folder)
        except OSError as error:
            with suppress(OSError):
                os.unlink(_INCOMING, dir_fd=self._folder)
            raise _failure(error) from error

    def remove(self, keys: Iterable[str]) -> None:
        """Remove entries; those that are gone already do not matter. Raises StorageFailure."""
        for key in keys:
            for name in _names(key):
                try:
                    os.unlink(name, dir_fd=self._folder)
                except (FileNotFoundError, IsADirectoryError):
                    continue
                except OSError as error:
                    raise _failure(error) from error

    def pin(self, key: str, *, pinned: bool) -> None:
        """Rename an entry to its pinned or its plain name. Raises StorageFailure("disk")."""
        plain, kept = _names(key)
        old, new = (plain, kept) if pinned else (kept, plain)
        try:
            os.rename(old, new, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError as error:
            raise _failure(error) from error

    def touch(self, keys: Iterable[str]) -> None:
        """Mark entries as used now, for the order after the next start; failing costs nothing."""
        for key in keys:
            for name in _names(key):
                with suppress(OSError):
                    os.utime(name, dir_fd=self._folder, follow_symlinks=False)

    def _look_for_room(self, size_bytes: int) -> None:
        room = os.fstatvfs(self._folder)
        if room.f_bavail * room.f_frsize < self._reserve_bytes + size_bytes:
            raise StorageFailure("disk", "the disk is full")

    def _write_incoming(self, data: bytes, *, sync: bool) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(_INCOMING, flags, 0o600, dir_fd=self._folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(descriptor)

    def _list(self, folder: int) -> list[Blob]:
        found: dict[str, Blob] = {}
        self.foreign = 0
        with os.scandir(folder) as entries:
            for entry in entries:
                match = _NAME.fullmatch(entry.name)
                if match is None:
                    self.foreign += entry.name != _LOCK
                    continue
                key, pinned = match[1], match[2] == "pinned"
                facts = entry.stat(follow_symlinks=False)
                if key not in found or pinned:
                    found[key] = Blob(key, facts.st_size, facts.st_mtime, pinned)
        return sorted(found.values(), key=lambda blob: blob.used_at)

    def _release(self, folder: int) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        os.close(folder)


def _names(key: str) -> tuple[str, str]:
    return f"{key}.phrase", f"{key}.pinned"


def _take_lock(folder: int, path: Path) -> int:
    """Lock the folder for this process's life; -1 where a read-only disk has no lock file."""
    try:
        # Open for reading alone: a writer would keep the disk from being remounted read-only.
        lock = os.open(_LOCK, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=folder)
    except OSError:
        return -1
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise StorageFailure("in_use", f"another daemon uses {path}") from error
    return lock


def _read_whole(descriptor: int) -> bytes:
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MAX_BYTES:
        raise StorageFailure("corrupt", "not a plain file of a phrase")
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(_MAX_BYTES)


def _failure(error: OSError) -> StorageFailure:
    return StorageFailure("disk", f"phrase cache: {error.strerror or error}")
