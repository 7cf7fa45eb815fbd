"""The plant: every adapter of one node, built from the configuration, nothing started."""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass

from cosyedge.adapters.cache_disk import DiskLimits, DiskTier
from cosyedge.adapters.cache_store import PhraseCache
from cosyedge.adapters.encoding import Encoder
from cosyedge.adapters.journal import FallbackJournal, MemoryJournal, SqliteJournal
from cosyedge.adapters.mqtt import MqttBroker
from cosyedge.adapters.player import PlayerOutput, PlayerSettings
from cosyedge.adapters.procstat import box_memory, rss_bytes
from cosyedge.adapters.recordings import Recordings
from cosyedge.adapters.systemd import Notifier
from cosyedge.adapters.voice_folder import Shelf, find_voices, search_order
from cosyedge.config import Layout, Settings, lay_out, mqtt_password
from cosyedge.daemon import translate
from cosyedge.daemon.clock import SystemClock
from cosyedge.daemon.outputs import make_outputs
from cosyedge.service.ports import MemoryReading, Output
from cosyedge.wire.topics import Topics
from cosyedge.worker.pool import WorkerPool

log = logging.getLogger(__name__)

DiskJournal = FallbackJournal | MemoryJournal
#: A cache at fault can wait: its disk is tried at every sixth probe, each 30 s by default.
CACHE_RETRY_PROBES = 6


@dataclass(slots=True)
class DiskFault:
    """The code of what is wrong with the journal's disk, or None."""

    code: str | None = None

    def hear(self, code: str | None) -> None:
        """Take the journal's word for it."""
        self.code = code


@dataclass(frozen=True, slots=True)
class Plant:
    """What the node works with."""

    settings: Settings
    layout: Layout
    topics: Topics
    clock: SystemClock
    notifier: Notifier
    journal: DiskJournal
    disk_fault: DiskFault
    cache: PhraseCache
    shelf: Shelf
    pool: WorkerPool
    broker: MqttBroker
    urgent_broker: MqttBroker
    outputs: dict[str, Output]
    recordings: Recordings
    encoder: Encoder


class BoxMemory:
    """Satisfies service.ports.Memory."""

    def read(self) -> MemoryReading:
        """One reading of this process and the box."""
        box = box_memory()
        return MemoryReading(rss_bytes(os.getpid()), box.available_bytes, box.total_bytes)


async def has_sound_device() -> bool:
    """Whether some installed player can open the default device; makes no sound."""
    return await PlayerOutput("player", PlayerSettings()).probe() is None


async def build(
    settings: Settings,
    notifier: Notifier,
    *,
    on_online: Callable[[], None],
    pool: WorkerPool | None = None,
) -> Plant:
    """Make all adapters; ``on_online`` is called at each connection.

    ``pool`` is that of the node before, which goes on.

    Raises SettingsError and StorageFailure("in_use").
    """
    disk_fault = DiskFault()
    implied = not settings.outputs
    layout = lay_out(settings, sound_device=implied and await has_sound_device())
    topics = Topics(settings.node.base, settings.node.name)
    clock = SystemClock()
    broker, urgent_broker = _make_sessions(settings, topics, on_online)
    encoder = Encoder()
    shelf = find_voices(search_order(settings.paths.state_dir))
    for name, fault in shelf.faults.items():
        log.warning("voice %s: %s", name, fault, extra={"COSYEDGE_CODE": fault.code})
    return Plant(
        settings=settings,
        layout=layout,
        topics=topics,
        clock=clock,
        notifier=notifier,
        journal=await asyncio.to_thread(open_journal, settings, clock, disk_fault),
        disk_fault=disk_fault,
        cache=await _open_cache(settings),
        shelf=shelf,
        pool=pool or make_pool(shelf, settings),
        broker=broker,
        urgent_broker=urgent_broker,
        outputs=make_outputs(layout.outputs, topics, broker, encoder),
        recordings=Recordings(settings.paths.recordings),
        encoder=encoder,
    )


def _make_sessions(
    settings: Settings, topics: Topics, on_online: Callable[[], None]
) -> tuple[MqttBroker, MqttBroker]:
    """The session for all but urgent topics, and the one for these."""
    password = mqtt_password(settings.mqtt)
    normal, urgent = (
        translate.mqtt_settings(settings, topics, password=password, urgent=is_urgent)
        for is_urgent in (False, True)
    )
    return MqttBroker(normal, on_online=on_online), MqttBroker(urgent)


def make_pool(shelf: Shelf, settings: Settings) -> WorkerPool:
    """The workers of all voices; none is started."""
    return WorkerPool(
        {name: found.voice for name, found in shelf.voices.items()},
        {name: found.folder for name, found in shelf.voices.items()},
        translate.pool_settings(settings),
        rss_of=rss_bytes,
    )


def open_journal(settings: Settings, clock: SystemClock, disk_fault: DiskFault) -> DiskJournal:
    """The journal on disk, or in memory for as long as the disk cannot be used. Blocks."""
    chosen = settings.journal
    memory = MemoryJournal(clock, history_text=chosen.history_text)
    if not chosen.enabled:
        return memory
    path = settings.paths.state_dir / "journal.sqlite"

    def open_disk() -> SqliteJournal:
        return SqliteJournal(
            path, clock, max_bytes=chosen.max_mb << 20, history_text=chosen.history_text
        )

    journal = FallbackJournal(open_disk, memory, clock, on_disk=disk_fault.hear)
    if journal.degraded:
        log.warning("journal in memory until the disk can be used")
    return journal


async def _open_cache(settings: Settings) -> PhraseCache:
    limits = DiskLimits(
        limit_bytes=settings.cache.disk_mb << 20,
        retry_s=CACHE_RETRY_PROBES * settings.liveness.probe_interval_s,
    )
    folder = settings.paths.cache_dir / "phrases"
    disk = DiskTier(folder, limits) if settings.cache.disk_mb else None
    cache = PhraseCache(disk, settings.cache.memory_mb << 20)
    await cache.open()
    return cache
