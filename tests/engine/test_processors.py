"""Threads are as many as the box really grants."""

import os
from pathlib import Path

import pytest

from cosyedge.engine.processors import usable_threads

AFFINITY = len(os.sched_getaffinity(0))


@pytest.fixture
def cgroups(tmp_path: Path) -> Path:
    (tmp_path / "cgroups" / "system.slice" / "cosyedge.service").mkdir(parents=True)
    return tmp_path / "cgroups"


@pytest.fixture
def membership(tmp_path: Path) -> Path:
    path = tmp_path / "membership"
    path.write_text("0::/system.slice/cosyedge.service\n")
    return path


def test_without_a_quota_the_affinity_decides(cgroups: Path, membership: Path) -> None:
    assert usable_threads(0, cgroups, membership) == AFFINITY
    assert usable_threads(10_000, cgroups, membership) == AFFINITY


def test_the_setting_decides_below_that(cgroups: Path, membership: Path) -> None:
    assert usable_threads(1, cgroups, membership) == 1


@pytest.mark.parametrize("where", ["system.slice/cosyedge.service", "system.slice", "."])
@pytest.mark.parametrize("quota", ["20000 100000", "100000 100000", "150000 100000"])
def test_a_quota_of_our_cgroup_or_one_above_decides(
    cgroups: Path, membership: Path, where: str, quota: str
) -> None:
    (cgroups / where / "cpu.max").write_text(quota)
    assert usable_threads(0, cgroups, membership) == 1


@pytest.mark.parametrize("content", ["max 100000", "as much as you like", "", "1 0"])
def test_no_quota_and_nonsense_limit_nothing(cgroups: Path, membership: Path, content: str) -> None:
    (cgroups / "system.slice" / "cpu.max").write_text(content)
    assert usable_threads(0, cgroups, membership) == AFFINITY


def test_a_quota_of_version_1_decides(tmp_path: Path, membership: Path) -> None:
    membership.write_text("4:memory:/box\n2:cpu,cpuacct:/box\n")
    folder = tmp_path / "cpu,cpuacct" / "box"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_period_us").write_text("100000")
    (folder / "cpu.cfs_quota_us").write_text("90000")
    assert usable_threads(0, tmp_path, membership) == 1
    (folder / "cpu.cfs_quota_us").write_text("-1")
    assert usable_threads(0, tmp_path, membership) == AFFINITY


def test_a_box_without_cgroups_is_bounded_by_its_affinity(tmp_path: Path) -> None:
    assert usable_threads(0, tmp_path, tmp_path / "absent") == AFFINITY
