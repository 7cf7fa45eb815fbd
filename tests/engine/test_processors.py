"""Threads are as many as the box really grants."""

import os
from pathlib import Path

import pytest

from cosyedge.engine.processors import usable_threads


@pytest.fixture
def processors() -> int:
    return len(os.sched_getaffinity(0))


def test_without_a_quota_the_affinity_decides(tmp_path: Path, processors: int) -> None:
    assert usable_threads(0, tmp_path) == processors
    assert usable_threads(10_000, tmp_path) == processors


def test_the_setting_decides_below_that(tmp_path: Path) -> None:
    assert usable_threads(1, tmp_path) == 1


@pytest.mark.parametrize("quota", ["50000 100000", "100000 100000", "150000 100000"])
def test_a_quota_of_version_2_decides(tmp_path: Path, quota: str) -> None:
    (tmp_path / "cpu.max").write_text(quota)
    assert usable_threads(0, tmp_path) == 1


def test_no_quota_of_version_2_limits_nothing(tmp_path: Path, processors: int) -> None:
    (tmp_path / "cpu.max").write_text("max 100000")
    assert usable_threads(0, tmp_path) == processors


def test_a_quota_of_version_1_decides(tmp_path: Path, processors: int) -> None:
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000")
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("90000")
    assert usable_threads(0, tmp_path) == 1
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text("-1")
    assert usable_threads(0, tmp_path) == processors


def test_nonsense_is_no_quota(tmp_path: Path, processors: int) -> None:
    (tmp_path / "cpu.max").write_text("as much as you like")
    assert usable_threads(0, tmp_path) == processors
