"""The bench of a whole node, with few runs: it has every figure, and they can be right."""

from pathlib import Path

import pytest

from cosyedge.bench.announce import Runs, measure, percentile

KEYS = {
    "cached_p50_ms",
    "cached_p99_ms",
    "echo_ratio",
    "uncached_p50_ms",
    "uncached_p99_ms",
    "long_first_audio_ratio",
    "burst_per_s",
    "burst_lost",
    "supervisor_rss_mb",
    "worker_rss_mb",
    "idle_cpu_percent",
    "ready_s",
}
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def test_short_run_gives_every_figure() -> None:
    figures = measure(Runs(cached=5, uncached=2, long=2, burst=20, idle_s=0.2))
    assert figures.keys() >= KEYS
    assert figures["burst_lost"] == 0
    assert figures["cached_p50_ms"] < figures["uncached_p50_ms"]
    assert figures["supervisor_rss_mb"] > 20
    assert figures["worker_rss_mb"] > 50
    assert figures["clip_bytes"] > 20_000


@pytest.mark.parametrize("key", sorted(KEYS))
def test_figure_is_documented(key: str) -> None:
    assert f"`{key}`" in PAGE.read_text("utf-8")


def test_percentile_is_the_nearest_rank() -> None:
    values = [float(n) for n in range(1, 101)]
    assert (percentile(values, 50), percentile(values, 99), percentile(values, 100)) == (
        50,
        99,
        100,
    )
    assert percentile([7.0], 99) == 7
