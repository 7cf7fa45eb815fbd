"""How many processors this process may really use."""

import contextlib
import math
import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def usable_threads(wanted: int, cgroup: Path = _CGROUP) -> int:
    """Return the least of ``wanted`` (0: any), the affinity mask and the cgroup's quota."""
    limits = [len(os.sched_getaffinity(0))]
    if wanted > 0:
        limits.append(wanted)
    quota = _cgroup_quota(cgroup)
    if quota is not None:
        limits.append(max(1, math.floor(quota)))
    return min(limits)


def _cgroup_quota(cgroup: Path) -> float | None:
    """Processors that the quota allows (cgroup v2, then v1); None where there is no quota."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = (cgroup / "cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    with contextlib.suppress(OSError, ValueError):
        quota_us = int((cgroup / "cpu" / "cpu.cfs_quota_us").read_text(encoding="ascii"))
        period_us = int((cgroup / "cpu" / "cpu.cfs_period_us").read_text(encoding="ascii"))
        return quota_us / period_us if quota_us > 0 else None
    return None
