"""The phrase cache's two tiers as the service sees them."""

import asyncio
import os
import time
from pathlib import Path

import numpy as np
import pytest

from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache
from cosyedge.core.errors import StorageFailure
from cosyedge.core.speech import Speech
from cosyedge.service.ports import CachedSpeech, PhraseStore
from tests.cache.conftest import Opener
from tests.cache.phrases import entry, key, same


async def test_kept_phrase_is_recalled_from_memory(opened: Opener) -> None:
    cache: PhraseStore = await opened()
    assert cache.recall(key(1)) is None
    await cache.keep(key(1), entry(1))
    assert same(cache.recall(key(1)), entry(1))
    assert cache.stats()["hits_memory"] == 1


async def test_phrase_survives_a_restart_and_goes_back_to_memory(opened: Opener) -> None:
    first = await opened()
    await first.keep(key(1), entry(1))
    await first.close()
    second = await opened()
    assert second.recall(key(1)) is None
    assert same(await second.fetch(key(1)), entry(1))
    assert same(second.recall(key(1)), entry(1))
    assert second.stats()["hits_disk"] == 1


async def test_memory_and_disk_give_the_same_samples(opened: Opener) -> None:
    cache = await opened()
    await cache.keep(key(1), entry(1))
    from_memory = cache.recall(key(1))
    assert cache.shed() > 0
    from_disk = await cache.fetch(key(1))
    assert from_memory is not None
    assert from_disk is not None
    assert np.array_equal(from_memory.speech.samples, from_disk.speech.samples)


async def test_absent_phrase_is_a_miss(opened: Opener) -> None:
    cache = await opened()
    assert await cache.fetch(key(1)) is None
    assert cache.stats()["misses"] == 1


async def test_memory_is_bounded_by_bytes_and_disk_still_has_the_rest(opened: Opener) -> None:
    cache = await opened(memory_bytes=20_000)
    for number in range(20):
        await cache.keep(key(number), entry(number))
    stats = cache.stats()
    assert stats["memory"]["bytes"] <= 20_000
    assert stats["disk"]["entries"] == 20
    assert cache.recall(key(0)) is None
    assert same(await cache.fetch(key(0)), entry(0))


async def test_disk_is_bounded_by_bytes_and_evicts_the_least_used(
    opened: Opener, tmp_path: Path
) -> None:
    limits = DiskLimits(limit_bytes=50_000)
    cache = await opened(memory_bytes=0, limits=limits)
    await cache.keep(key(0), entry(0))
    for number in range(1, 40):
        await cache.keep(key(number), entry(number))
        await cache.fetch(key(0))
    files = list((tmp_path / "phrases").glob("*.phrase"))
    assert sum(path.stat().st_size for path in files) <= 50_000
    assert len(files) == cache.stats()["disk"]["entries"] > 5
    assert same(await cache.fetch(key(0)), entry(0))
    assert await cache.fetch(key(1)) is None
    assert cache.stats()["disk"]["evicted"] == 40 - len(files)


async def test_pinned_phrase_is_never_evicted_even_after_a_restart(opened: Opener) -> None:
    limits = DiskLimits(limit_bytes=50_000)
    cache = await opened(memory_bytes=0, limits=limits)
    await cache.keep(key(0), entry(0), pinned=True)
    await cache.keep(key(1), entry(1))
    assert await cache.pin(key(1))
    for number in range(2, 30):
        await cache.keep(key(number), entry(number))
    await cache.close()
    again = await opened(memory_bytes=0, limits=limits)
    for number in range(30, 60):
        await again.keep(key(number), entry(number))
    assert same(await again.fetch(key(0)), entry(0))
    assert same(await again.fetch(key(1)), entry(1))
    assert await again.pin(key(0), pinned=False)
    assert again.stats()["disk"]["pinned_bytes"] > 0
    for number in range(60, 90):
        await again.keep(key(number), entry(number))
    assert await again.fetch(key(0)) is None


async def test_pins_are_bounded_too(opened: Opener) -> None:
    cache = await opened(memory_bytes=0, limits=DiskLimits(limit_bytes=30_000))
    for number in range(20):
        await cache.keep(key(number), entry(number), pinned=True)
    assert cache.stats()["disk"]["bytes"] <= 30_000
    assert not await cache.pin(key(19))


async def test_smaller_limit_at_the_next_start_evicts(opened: Opener, tmp_path: Path) -> None:
    cache = await opened()
    for number in range(20):
        await cache.keep(key(number), entry(number))
    await cache.close()
    await opened(limits=DiskLimits(limit_bytes=30_000))
    files = list((tmp_path / "phrases").glob("*.phrase"))
    assert 0 < sum(path.stat().st_size for path in files) <= 30_000


async def test_clear_spares_the_pinned_unless_asked(opened: Opener) -> None:
    cache = await opened()
    await cache.keep(key(0), entry(0), pinned=True)
    await cache.keep(key(1), entry(1))
    assert await cache.clear() == 1
    assert await cache.fetch(key(1)) is None
    assert same(await cache.fetch(key(0)), entry(0))
    assert await cache.clear(pinned=True) == 1
    assert await cache.fetch(key(0)) is None


async def test_shed_gives_memory_back_and_loses_nothing(opened: Opener) -> None:
    cache = await opened()
    for number in range(5):
        await cache.keep(key(number), entry(number), pinned=number == 0)
    assert cache.shed() >= 5 * 4800
    assert cache.stats()["memory"]["bytes"] == 0
    for number in range(5):
        assert same(await cache.fetch(key(number)), entry(number))


async def test_without_a_disk_memory_keeps_pins_when_shed() -> None:
    cache = PhraseCache(None)
    await cache.open()
    await cache.keep(key(0), entry(0), pinned=True)
    await cache.keep(key(1), entry(1))
    assert await cache.pin(key(1))
    assert await cache.pin(key(1), pinned=False)
    cache.shed()
    assert same(await cache.fetch(key(0)), entry(0))
    assert await cache.fetch(key(1)) is None
    assert not await cache.pin(key(2))
    await cache.close()


@pytest.mark.parametrize("samples", [[], [0.0] * 2400, [0.1, np.nan, 0.2], [1.0, -1.0] * 1000])
async def test_bad_audio_is_never_stored(opened: Opener, samples: list[float]) -> None:
    cache = await opened()
    bad = CachedSpeech(Speech(np.array(samples, dtype=np.float32), 24_000), 1.0, -20.0)
    await cache.keep(key(1), bad)
    assert await cache.fetch(key(1)) is None
    assert cache.stats()["refused"] == 1


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, key(1) + "\n"])
async def test_key_that_could_be_a_path_is_a_programming_error(opened: Opener, name: str) -> None:
    cache = await opened()
    with pytest.raises(ValueError, match="key"):
        await cache.keep(name, entry(1))
    assert await cache.fetch(name) is None


async def test_second_daemon_in_the_folder_is_refused(opened: Opener) -> None:
    first = await opened()
    with pytest.raises(StorageFailure) as caught:
        await opened()
    assert caught.value.code == "in_use"
    await first.keep(key(1), entry(1))
    await first.close()
    third = await opened()
    assert same(await third.fetch(key(1)), entry(1))


async def test_concurrent_fetches_read_the_disk_once(opened: Opener) -> None:
    first = await opened()
    await first.keep(key(1), entry(1))
    await first.close()
    cache = await opened()
    found = await asyncio.gather(*(cache.fetch(key(1)) for _ in range(20)))
    assert all(same(phrase, entry(1)) for phrase in found)
    assert cache.stats()["hits_disk"] == 1


async def test_cancelled_keep_leaves_no_stray_file(opened: Opener, tmp_path: Path) -> None:
    cache = await opened()
    for number in range(30):
        keeping = asyncio.create_task(cache.keep(key(number), entry(number)))
        for _ in range(number % 5):
            await asyncio.sleep(0)
        keeping.cancel()
        await asyncio.wait({keeping})
    await cache.close()
    on_disk = {path.stem for path in (tmp_path / "phrases").glob("*.phrase")}
    again = await opened()
    assert again.stats()["disk"]["entries"] == len(on_disk)
    assert {name for name in map(key, range(30)) if await again.fetch(name)} == on_disk
    assert again.stats()["disk"]["damaged"] == 0


async def test_order_of_use_survives_a_restart_with_one_write_a_day(
    tmp_path: Path,
) -> None:
    folder, now = tmp_path / "phrases", [time.time()]
    limits = DiskLimits(limit_bytes=50_000)

    async def start() -> PhraseCache:
        cache = PhraseCache(DiskTier(folder, limits, wall=lambda: now[0]), 0)
        await cache.open()
        return cache

    cache = await start()
    for number in range(5):
        await cache.keep(key(number), entry(number))
    for path in folder.glob("*.phrase"):
        os.utime(path, (now[0] - 500_000, now[0] - 500_000))
    await cache.close()
    cache = await start()
    for _ in range(50):
        await cache.fetch(key(0))
    before = (folder / f"{key(0)}.phrase").stat().st_mtime
    await cache.close()
    after = (folder / f"{key(0)}.phrase").stat().st_mtime
    assert after - before > 400_000
    cache = await start()
    for number in range(5, 15):
        await cache.keep(key(number), entry(number))
    assert same(await cache.fetch(key(0)), entry(0))
    assert await cache.fetch(key(1)) is None
    await cache.close()


async def test_idle_cache_writes_nothing(opened: Opener, tmp_path: Path) -> None:
    cache = await opened()
    await cache.keep(key(1), entry(1))

    def state() -> list[tuple[str, int, int]]:
        facts = [(path, path.stat()) for path in sorted((tmp_path / "phrases").iterdir())]
        return [(path.name, fact.st_mtime_ns, fact.st_ctime_ns) for path, fact in facts]

    before = state()
    for _ in range(100):
        cache.recall(key(1))
        await cache.fetch(key(1))
        cache.stats()
    await cache.close()
    assert state() == before


async def test_cache_folder_and_entries_are_nobody_elses(opened: Opener, tmp_path: Path) -> None:
    cache = await opened()
    await cache.keep(key(1), entry(1))
    folder = tmp_path / "phrases"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
