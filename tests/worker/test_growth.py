"""A worker's memory stays flat; the long form is ``python -m cosyedge.bench.worker_growth``."""

from cosyedge.bench.session_options import ROWS, measure_all
from cosyedge.bench.texts import varied_texts
from cosyedge.bench.worker_growth import measure
from cosyedge.worker.settings import WorkerSettings


async def test_150_texts_do_not_grow_the_worker() -> None:
    figures = await measure(varied_texts(150), WorkerSettings(threads=1))
    assert figures["texts"] == 150
    assert figures["crashes"] == figures["recycles"] == 0
    # The allocator still finds its level here; over 2,000 texts the bound is 10 KB.
    assert figures["slope_kb_per_text"] < 150
    assert figures["peak_mb"] < 280


async def test_growth_is_held_by_recycling() -> None:
    soft_cap_bytes = 100 << 20
    figures = await measure(
        varied_texts(4), WorkerSettings(threads=1, recycle_above_bytes=soft_cap_bytes)
    )
    assert figures["recycles"] >= 3
    assert figures["crashes"] == 0


def test_the_table_of_session_options_has_all_its_rows() -> None:
    rows = measure_all(texts=2, threads=1)
    assert [row["options"] for row in rows] == list(ROWS)
    assert all(50 < row["loaded_mb"] <= row["peak_mb"] for row in rows)
    assert all(row["cpu_s"] > 0 for row in rows)


def test_texts_are_varied_and_repeatable() -> None:
    texts = varied_texts(600)
    assert texts == varied_texts(600)
    assert len(set(texts)) > 300
    assert max(map(len, texts)) <= 200
