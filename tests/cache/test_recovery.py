"""A disk at fault is tried again by itself, and a sound one is left alone."""

from pathlib import Path

from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache
from tests.cache.conftest import Opener
from tests.cache.phrases import entry, key, same


async def test_disk_at_fault_is_found_again_without_a_new_phrase(tmp_path: Path) -> None:
    now = [0.0]
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    tier = DiskTier(blocked / "phrases", DiskLimits(retry_s=30.0), monotonic=lambda: now[0])
    cache = PhraseCache(tier)
    await cache.open()
    await cache.keep(key(1), entry(1), pinned=True)
    await cache.keep(key(2), entry(2))
    blocked.unlink()
    now[0] = 29.0
    await cache.recover()
    assert cache.fault == "disk"
    now[0] = 31.0
    await cache.recover()
    assert cache.fault is None
    # A pin is worth a write at once; what is not pinned waits for its next making.
    assert [path.name for path in (blocked / "phrases").glob("*.p*")] == [f"{key(1)}.pinned"]
    cache.shed()
    assert same(await cache.fetch(key(1)), entry(1))
    await cache.close()


async def test_disk_without_a_fault_is_not_written_to(opened: Opener, tmp_path: Path) -> None:
    cache = await opened()
    before = (tmp_path / "phrases").stat().st_mtime_ns
    await cache.recover()
    assert (tmp_path / "phrases").stat().st_mtime_ns == before


async def test_probe_of_a_full_disk_keeps_the_fault_and_leaves_nothing(tmp_path: Path) -> None:
    limits = DiskLimits(reserve_bytes=2**60, retry_s=0.0)
    cache = PhraseCache(DiskTier(tmp_path, limits))
    await cache.open()
    await cache.keep(key(1), entry(1))
    assert cache.fault == "disk"
    await cache.recover()
    assert cache.fault == "disk"
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    await cache.close()
