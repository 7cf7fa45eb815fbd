"""What the worker process asks of the kernel: its memory cap, its death with its parent."""

import contextlib
import ctypes
import os
import resource
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_OOM_SCORE = 500
_LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Be killed by the kernel when the parent dies, even while busy in a run.

    The end of the socket says the same, but needs a thread that gets its turn.
    """
    parent = os.getppid()
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def offer_to_oom_killer() -> None:
    """Raise our score, so that the kernel out of memory takes the worker, not the supervisor."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE), encoding="ascii")


def forbid_core_dumps() -> None:
    """Keep spoken text out of core dumps."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def cap_memory(cap_bytes: int) -> int:
    """Let this process hold ``cap_bytes`` resident from here on; returns RLIMIT_DATA in bytes.

    What exceeds it fails to allocate, which ONNX Runtime reports as an error of that one run.
    RLIMIT_DATA counts writable private memory, touched or not, so the headroom left under the cap
    is added to what is mapped now. File-backed weights are not in it. Where the system forbids
    limits (a seccomp filter), the supervisor's look at the resident memory is left.
    """
    resident_bytes, data_bytes = memory()
    limit_bytes = data_bytes + max(0, cap_bytes - resident_bytes)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        limit_bytes = min(limit_bytes, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, hard))
    return limit_bytes


def memory() -> tuple[int, int]:
    """Return our resident bytes (VmRSS) and the bytes that RLIMIT_DATA counts (VmData)."""
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return _kib(fields["VmRSS"]), _kib(fields["VmData"])


def give_back() -> None:
    """Return freed memory to the system, where the C library can (glibc)."""
    trim = getattr(_LIBC, "malloc_trim", None)
    if trim is not None:
        trim(0)


def _kib(field: str) -> int:
    return int(field.split()[0]) * 1024
