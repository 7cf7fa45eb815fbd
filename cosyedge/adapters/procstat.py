"""Memory and processors of this box and its processes: the only importer of psutil."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_CGROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


@dataclass(frozen=True, slots=True)
class BoxMemory:
    """Bytes of the box, or of the cgroup that we are in where that is less."""

    total_bytes: int
    available_bytes: int


def rss_bytes(pid: int) -> int:
    """Return the resident memory of a process; 0 for one that is gone."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def cpu_s(pid: int) -> float:
    """Return the processor time that a process has used, in seconds; 0 for one that is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def box_memory(cgroups: Path = _CGROUPS, membership: Path = _MEMBERSHIP) -> BoxMemory:
    """Return what the box has, and what of it can still be taken without swapping."""
    system = psutil.virtual_memory()
    total_bytes, available_bytes = int(system.total), int(system.available)
    for folder in cgroup_folders("memory", cgroups, membership):
        limit_bytes = _number(folder, "memory.max", "memory.limit_in_bytes")
        used_bytes = _number(folder, "memory.current", "memory.usage_in_bytes")
        if limit_bytes is None or used_bytes is None or limit_bytes >= total_bytes:
            continue
        total_bytes = limit_bytes
        available_bytes = min(available_bytes, max(0, limit_bytes - used_bytes))
    return BoxMemory(total_bytes, available_bytes)


def usable_processors(cgroups: Path = _CGROUPS, membership: Path = _MEMBERSHIP) -> float:
    """Return how many processors this process may keep busy: affinity, and the cgroups' quota."""
    allowed = float(len(os.sched_getaffinity(0)))
    for folder in cgroup_folders("cpu", cgroups, membership):
        quota = _quota(folder)
        if quota is not None:
            allowed = min(allowed, quota)
    return allowed


def cgroup_folders(
    controller: str, cgroups: Path = _CGROUPS, membership: Path = _MEMBERSHIP
) -> Iterator[Path]:
    """Yield our cgroup's folder for ``controller`` and those above it (version 2 and 1)."""
    with suppress(OSError):
        for line in membership.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and controller not in controllers.split(","):
                continue
            root = cgroups / controllers if controllers else cgroups
            own = root / path.lstrip("/")
            yield own
            yield from (parent for parent in own.parents if parent.is_relative_to(root))


def _number(folder: Path, *names: str) -> int | None:
    for name in names:
        with suppress(OSError, ValueError):
            return int((folder / name).read_text(encoding="ascii"))
    return None


def _quota(folder: Path) -> float | None:
    with suppress(OSError, ValueError):
        quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        return int(quota) / int(period)
    quota_us = _number(folder, "cpu.cfs_quota_us")
    period_us = _number(folder, "cpu.cfs_period_us")
    return quota_us / period_us if quota_us and period_us and quota_us > 0 else None
