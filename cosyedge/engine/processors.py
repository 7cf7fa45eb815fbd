"""How many threads are of use here: the affinity mask and the quota of our cgroup and those above.

The worker knows nothing of the daemon's adapters, so it reads the kernel's files itself.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def usable_threads(wanted: int, cgroups: Path = _CGROUPS, membership: Path = _MEMBERSHIP) -> int:
    """Return the least of ``wanted`` (0: any), the affinity mask and the quotas; at least 1."""
    limits = [float(wanted or os.cpu_count() or 1), float(len(os.sched_getaffinity(0)))]
    for folder in _cpu_folders(cgroups, membership):
        with suppress(OSError, ValueError, ZeroDivisionError):
            limits.append(_quota(folder))
    return max(1, int(min(limits)))


def _cpu_folders(cgroups: Path, membership: Path) -> Iterator[Path]:
    """Yield our cgroup's folder and those above it (version 2, and version 1's cpu)."""
    with suppress(OSError):
        for line in membership.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "cpu" not in controllers.split(","):
                continue
            root = cgroups / controllers
            own = root / path.lstrip("/")
            yield own
            yield from (parent for parent in own.parents if parent.is_relative_to(root))


def _quota(folder: Path) -> float:
    """Return the processors that one cgroup allows; raises where it sets no quota."""
    with suppress(FileNotFoundError):
        quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        return int(quota) / int(period)
    quota_us = int((folder / "cpu.cfs_quota_us").read_text(encoding="ascii"))
    period_us = int((folder / "cpu.cfs_period_us").read_text(encoding="ascii"))
    if quota_us < 0:
        raise ValueError("no quota")
    return quota_us / period_us
