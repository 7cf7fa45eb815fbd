"""The short form of ``make chaos``."""

from pathlib import Path

import pytest

from tests.chaos import kills


@pytest.mark.timeout(400)
def test_r1_60_kills_under_load_lose_no_id_and_end_none_twice(tmp_path: Path) -> None:
    toll = kills.run(tmp_path, kills=60, seed=60)
    assert len(toll.published) > 200
    assert not toll.lost
    assert not toll.told_twice
    assert not toll.seen.clips_after_the_end
