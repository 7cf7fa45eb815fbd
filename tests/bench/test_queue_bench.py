"""The bench of the queue, with few runs: it has every figure, and they can be right."""

from cosyedge.bench.queue import Runs, measure


def test_short_run_gives_every_figure() -> None:
    figures = measure(Runs(urgent=8, emergency=2, simulated=300))
    assert figures.keys() >= {
        "priority_p99_ms",
        "emergency_uncached_extra_ms",
        "order_errors",
        "sim_per_s",
    }
    assert figures["order_errors"] == 0
    # A fade of 150 ms lies between the urgent one and its first sample.
    assert 120 < figures["priority_p50_ms"] <= figures["priority_p99_ms"]
    assert figures["sim_per_s"] > 100
