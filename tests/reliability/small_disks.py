"""Small file systems of a test's own, in a mount namespace of its own: filled, read-only, freed."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

needs_mounts = pytest.mark.skipif(
    os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("nsenter")),
    reason="mounting needs root, unshare and nsenter",
)

BLOCK = bytes(4096)


class SmallDisk:
    """One tmpfs, seen by whoever enters the namespace of ``pid``."""

    def __init__(self, pid: int, path: Path) -> None:
        self.pid = pid
        self.path = path
        #: The same folder, as it is seen from outside.
        self.seen = Path(f"/proc/{pid}/root") / path.relative_to("/")

    @property
    def program(self) -> tuple[str, ...]:
        """What a node is run by, so that this disk is where its folder says."""
        return ("-m", "tests.reliability.inside", str(self.pid), "-m", "cosyedge", "run")

    def fill(self, spare_bytes: int = 0) -> None:
        """Take all room but this."""
        with (self.seen / "filler").open("wb", buffering=0) as filler:
            with contextlib.suppress(OSError):
                while True:
                    filler.write(BLOCK)
            filler.truncate(max(0, filler.tell() - spare_bytes))

    def free(self) -> None:
        """Give the room back."""
        (self.seen / "filler").unlink()

    def remount(self, options: str) -> None:
        """Make it ``ro`` or ``rw``."""
        command = ["nsenter", "-t", str(self.pid), "-m", "mount", "-o", f"remount,{options}"]
        subprocess.run([*command, str(self.path)], check=True, capture_output=True)


@contextlib.contextmanager
def small_disk(path: Path, size: str) -> Iterator[SmallDisk]:
    """A tmpfs at ``path``; it is gone, with its namespace, at the end."""
    path.mkdir(parents=True)
    mount = f"mount -t tmpfs -o size={size},mode=700 tmpfs {path} && echo mounted && exec cat"
    with subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"mounted\n"
        try:
            yield SmallDisk(holder.pid, path)
        finally:
            holder.stdin.close()
            holder.wait(10)
