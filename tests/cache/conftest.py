"""A phrase cache that is opened and closed."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache

Opener = Callable[..., Awaitable[PhraseCache]]


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opener]:
    """Open caches over one folder, one after the other; close what is left open."""
    caches: list[PhraseCache] = []

    async def open_cache(
        folder: Path = tmp_path / "phrases",
        *,
        memory_bytes: int = 2**20,
        limits: DiskLimits | None = None,
    ) -> PhraseCache:
        cache = PhraseCache(DiskTier(folder, limits or DiskLimits()), memory_bytes)
        caches.append(cache)
        await cache.open()
        return cache

    yield open_cache
    for cache in caches:
        await cache.close()
