"""Memory and processors, read where the kernel tells them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cosyedge.adapters.procstat import (
    box_memory,
    cpu_s,
    rss_bytes,
    usable_processors,
)

GONE = 2**22 - 1


def test_our_own_memory_is_plausible() -> None:
    assert 10 << 20 < rss_bytes(os.getpid()) < 4 << 30


def test_a_process_that_is_gone_takes_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert rss_bytes(ended.pid) == 0
    assert cpu_s(ended.pid) == 0.0


def test_processor_time_grows() -> None:
    before = cpu_s(os.getpid())
    while cpu_s(os.getpid()) == before:
        sum(range(10_000))
    assert cpu_s(os.getpid()) > before


@pytest.fixture
def cgroups(tmp_path: Path) -> Path:
    (tmp_path / "cgroups" / "system.slice" / "cosyedge.service").mkdir(parents=True)
    return tmp_path / "cgroups"


@pytest.fixture
def membership(tmp_path: Path) -> Path:
    path = tmp_path / "membership"
    path.write_text("0::/system.slice/cosyedge.service\n")
    return path


def test_without_a_limit_the_box_is_the_bound(cgroups: Path, membership: Path) -> None:
    memory = box_memory(cgroups, membership)
    assert 0 < memory.available_bytes <= memory.total_bytes


@pytest.mark.parametrize("where", ["system.slice/cosyedge.service", "system.slice", "."])
def test_a_limit_of_our_cgroup_or_one_above_is_the_bound(
    cgroups: Path, membership: Path, where: str
) -> None:
    (cgroups / where / "memory.max").write_text(str(100 << 20))
    (cgroups / where / "memory.current").write_text(str(70 << 20))
    memory = box_memory(cgroups, membership)
    assert memory.total_bytes == 100 << 20
    assert memory.available_bytes == 30 << 20


def test_no_limit_is_no_limit(cgroups: Path, membership: Path) -> None:
    (cgroups / "system.slice" / "memory.max").write_text("max")
    (cgroups / "system.slice" / "memory.current").write_text("1")
    unlimited = box_memory(cgroups, membership)
    assert unlimited.total_bytes == box_memory(Path("/nonexistent")).total_bytes


def test_a_limit_of_version_1_is_the_bound(tmp_path: Path, membership: Path) -> None:
    membership.write_text("5:cpuset:/\n4:memory:/box\n1:cpu,cpuacct:/box\n0::/\n")
    folder = tmp_path / "cgroups" / "memory" / "box"
    folder.mkdir(parents=True)
    (folder / "memory.limit_in_bytes").write_text(str(64 << 20))
    (folder / "memory.usage_in_bytes").write_text(str(80 << 20))
    memory = box_memory(tmp_path / "cgroups", membership)
    assert (memory.total_bytes, memory.available_bytes) == (64 << 20, 0)


def test_a_quota_bounds_the_processors(cgroups: Path, membership: Path) -> None:
    without = usable_processors(cgroups, membership)
    assert without == len(os.sched_getaffinity(0))
    (cgroups / "system.slice" / "cpu.max").write_text("50000 100000")
    assert usable_processors(cgroups, membership) == 0.5
