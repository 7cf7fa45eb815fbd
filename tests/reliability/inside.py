"""``python -m tests.reliability.inside PID ARGUMENT...``: Python in another's mount namespace."""

import ctypes
import os
import sys
from pathlib import Path


def main() -> None:
    pid, *arguments = sys.argv[1:]
    here = Path.cwd()
    namespace = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, 0) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.chdir(here)
    os.execv(sys.executable, [sys.executable, *arguments])


if __name__ == "__main__":
    main()
