"""Damaged entries, foreign files, full, read-only, hanging disks, and kills."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_entry import StoredPhrase, pack, stored
from cosyedge.adapters.cache_folder import PhraseFolder
from cosyedge.adapters.cache_store import PhraseCache
from cosyedge.adapters.disk_thread import DiskThread
from cosyedge.core.errors import StorageFailure
from tests.cache.conftest import Opener
from tests.cache.phrases import entry, key, same

ROOT = Path(__file__).parents[2]


async def filled(opened: Opener, count: int, **limits: Any) -> None:
    """Leave ``count`` phrases on disk."""
    cache = await opened(**limits)
    for number in range(count):
        await cache.keep(key(number), entry(number))
    await cache.close()


def zero(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def rename_other(path: Path) -> None:
    path.write_bytes(pack(key(99), stored(entry(99))))


def link_away(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def block(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [zero, flip, truncate, rename_other, link_away, block])
async def test_damaged_entry_is_removed_and_is_a_miss(
    opened: Opener, tmp_path: Path, damage: Any
) -> None:
    await filled(opened, 3)
    path = tmp_path / "phrases" / f"{key(1)}.phrase"
    damage(path)
    cache = await opened()
    assert await cache.fetch(key(1)) is None
    assert not os.path.lexists(path)
    assert cache.stats()["disk"]["damaged"] == 1
    assert cache.fault is None
    await cache.keep(key(1), entry(1))
    cache.shed()
    assert same(await cache.fetch(key(1)), entry(1))
    assert same(await cache.fetch(key(2)), entry(2))


async def test_folder_under_an_entrys_name_is_passed_over(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "phrases" / f"{key(1)}.phrase").mkdir(parents=True)
    cache = await opened()
    assert await cache.fetch(key(1)) is None


async def test_foreign_files_are_left_alone_and_counted(opened: Opener, tmp_path: Path) -> None:
    folder = tmp_path / "phrases"
    folder.mkdir()
    for name in ("README", "lost+found", f"{key(1)}.phrase.bak", "x.phrase", "日本語"):
        (folder / name).write_text("mine")
    cache = await opened()
    assert cache.stats()["disk"]["foreign"] == 5
    assert cache.stats()["disk"]["entries"] == 0
    await cache.clear(pinned=True)
    assert len(list(folder.glob("*"))) == 6


async def test_a_thousand_flipped_bytes_are_all_found(opened: Opener, tmp_path: Path) -> None:
    await filled(opened, 10)
    dice = random.Random(1)
    folder = tmp_path / "phrases"
    originals = {path: path.read_bytes() for path in folder.glob("*.phrase")}
    cache = await opened(memory_bytes=0)
    for _ in range(100):
        for path, data in originals.items():
            damaged = bytearray(data)
            damaged[dice.randrange(len(data))] ^= dice.randint(1, 255)
            path.write_bytes(damaged)
        for path in originals:
            assert await cache.fetch(path.stem) is None
        for number in range(10):
            await cache.keep(key(number), entry(number))
    assert cache.stats()["disk"]["damaged"] == 1000


async def test_entry_that_vanishes_is_a_miss(opened: Opener, tmp_path: Path) -> None:
    await filled(opened, 2)
    cache = await opened()
    (tmp_path / "phrases" / f"{key(1)}.phrase").unlink()
    assert await cache.fetch(key(1)) is None
    assert cache.stats()["disk"]["entries"] == 1
    assert cache.fault is None


WRITER = """
import asyncio, sys
from pathlib import Path
from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache
from tests.cache.phrases import entry, key

async def main():
    limits = DiskLimits(limit_bytes=200_000)
    cache = PhraseCache(DiskTier(Path(sys.argv[1]), limits), 0)
    await cache.open()
    print("open", flush=True)
    number = int(sys.argv[2])
    while True:
        await cache.keep(key(number % 97), entry(number % 97), pinned=number % 10 == 0)
        if number % 7 == 0:
            await cache.pin(key(number % 97), pinned=number % 2 == 0)
        number += 1
asyncio.run(main())
"""


async def test_killed_at_any_instant_it_opens_whole(opened: Opener, tmp_path: Path) -> None:
    dice = random.Random(7)
    for round_number in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "phrases"), str(round_number * 31)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert writer.stdout is not None
        await asyncio.to_thread(writer.stdout.readline)
        try:
            await asyncio.to_thread(writer.wait, dice.uniform(0.01, 0.25))
        except subprocess.TimeoutExpired:
            writer.send_signal(signal.SIGKILL)
        assert writer.wait(10) == -signal.SIGKILL
        writer.stdout.close()
        cache = await opened(memory_bytes=0, limits=DiskLimits(limit_bytes=200_000))
        found = 0
        for number in range(97):
            phrase = await cache.fetch(key(number))
            found += phrase is not None
            assert phrase is None or same(phrase, entry(number))
        stats = cache.stats()["disk"]
        assert stats["damaged"] == stats["foreign"] == 0
        assert found == stats["entries"] > 0
        await cache.close()


FULL = """
import asyncio, sys
from pathlib import Path
from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache
from tests.cache.phrases import entry, key, same

async def main():
    folder, mode = Path(sys.argv[1]), sys.argv[2]
    reserve = 64 * 2**10 if mode == "reserve" else 0
    limits = DiskLimits(reserve_bytes=reserve, retry_s=0.0)
    cache = PhraseCache(DiskTier(folder / "phrases", limits))
    await cache.open()
    for number in range(100):
        await cache.keep(key(number), entry(number), pinned=number == 99)
    assert cache.fault == "disk", cache.stats()
    assert all(same(cache.recall(key(n)), entry(n)) for n in range(100))
    assert cache.shed() > 0
    if mode != "readonly":
        assert same(await cache.fetch(key(0)), entry(0)), "what was written stays"
    assert same(await cache.fetch(key(99)), entry(99)), "memory holds a pin that no disk does"
    if mode == "full":
        assert not list((folder / "phrases").glob(".incoming"))
        await cache.clear(pinned=True)
        await cache.keep(key(1), entry(1))
        assert cache.fault is None, "mended by itself"
    await cache.close()
asyncio.run(main())
"""


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="needs root")
@pytest.mark.parametrize("mode", ["full", "reserve", "readonly"])
async def test_full_or_read_only_disk_costs_only_the_disk_tier(tmp_path: Path, mode: str) -> None:
    options = "size=256k,ro" if mode == "readonly" else "size=256k"
    mount = f'mount -t tmpfs -o {options} tmpfs {tmp_path} && exec "$@"'
    argv = ["unshare", "--mount", "sh", "-c", mount, "sh", sys.executable, "-c", FULL]
    await _succeeds([*argv, str(tmp_path), mode])


async def test_disk_that_takes_no_bytes_costs_only_the_disk_tier(tmp_path: Path) -> None:
    """RLIMIT_FSIZE: every write beyond 64 bytes fails, for root too."""
    limit = "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
    await _succeeds([sys.executable, "-c", limit + FULL, str(tmp_path), "readonly"])


async def test_folder_that_cannot_be_is_a_fault_not_an_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = PhraseCache(DiskTier(tmp_path / "file" / "phrases", DiskLimits(retry_s=0.0)))
    await cache.open()
    assert cache.fault == "disk"
    await cache.keep(key(1), entry(1))
    assert same(cache.recall(key(1)), entry(1))
    (tmp_path / "file").unlink()
    await cache.keep(key(2), entry(2))
    assert cache.fault is None
    cache.shed()
    assert same(await cache.fetch(key(2)), entry(2))
    await cache.close()


async def test_failed_disk_is_left_alone_until_it_is_time_to_try(tmp_path: Path) -> None:
    now = [0.0]
    (tmp_path / "file").write_text("in the way")
    tier = DiskTier(tmp_path / "file", DiskLimits(retry_s=30.0), monotonic=lambda: now[0])
    await tier.open()
    (tmp_path / "file").unlink()
    assert not await tier.save(key(1), _phrase(), pinned=False)
    now[0] = 31.0
    assert await tier.save(key(1), _phrase(), pinned=False)
    assert tier.fault is None
    await tier.close()


async def test_call_that_hangs_is_given_up_and_blocks_nobody() -> None:
    thread = DiskThread("slow-disk", deadline_s=0.05)
    released = threading.Event()
    with pytest.raises(StorageFailure):
        await thread.run(released.wait)
    with pytest.raises(StorageFailure):
        await asyncio.wait_for(thread.run(int, "1"), 1.0)
    released.set()
    async with asyncio.timeout(10):
        while True:
            try:
                assert await thread.run(int, "1") == 1
                break
            except StorageFailure:
                await asyncio.sleep(0.01)
    thread.close()


def test_entries_of_one_folder_come_oldest_first(tmp_path: Path) -> None:
    folder = PhraseFolder(tmp_path, reserve_bytes=0)
    folder.open()
    for age, number in enumerate([3, 1, 2]):
        folder.write(key(number), b"data", pinned=number == 1)
        suffix = "pinned" if number == 1 else "phrase"
        os.utime(tmp_path / f"{key(number)}.{suffix}", (1000 - age, 1000 - age))
    folder.close()
    blobs = folder.open()
    assert [blob.key for blob in blobs] == [key(2), key(1), key(3)]
    assert [blob.pinned for blob in blobs] == [False, True, False]
    folder.close()


def test_leftover_of_a_kill_is_swept(tmp_path: Path) -> None:
    (tmp_path / ".incoming").write_bytes(b"half an entry")
    folder = PhraseFolder(tmp_path)
    assert folder.open() == []
    assert not (tmp_path / ".incoming").exists()
    folder.close()


def _phrase() -> StoredPhrase:
    return stored(entry(1))


async def _succeeds(argv: list[str]) -> None:
    process = await asyncio.create_subprocess_exec(
        *argv, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
