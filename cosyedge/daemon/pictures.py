"""Pictures of the node as data: what info, state, health and requests show."""

import os
import time
from collections.abc import Mapping, Set
from typing import Any

import cosyedge
from cosyedge.adapters.procstat import box_memory, cpu_s, rss_bytes
from cosyedge.core.dispatch import Dispatcher
from cosyedge.daemon.plant import Plant
from cosyedge.service.caretaker import Caretaker
from cosyedge.service.conductor import Conductor
from cosyedge.service.faults import Faults
from cosyedge.service.scenes import Act
from cosyedge.wire.schema import SCHEMA_NUMBER

FORMATS = ("wav", "flac", "mp3", "opus", "pcm")


class Pictures:
    """Draws the node when asked; ``caretaker`` is set once it exists, ``is_stopped`` at its end."""

    def __init__(
        self, plant: Plant, dispatcher: Dispatcher, conductor: Conductor, faults: Faults
    ) -> None:
        self._plant = plant
        self._dispatcher = dispatcher
        self._conductor = conductor
        self._faults = faults
        self.caretaker: Caretaker | None = None
        self.is_stopped = False
        self._began_at = time.monotonic()

    def info(self) -> Mapping[str, Any]:
        """What rarely changes: versions, voices, zones, formats, limits."""
        settings = self._plant.settings
        return {
            "version": cosyedge.__version__,
            "schema": SCHEMA_NUMBER,
            "node": settings.node.name,
            "default_voice": settings.engine.voice,
            "voices": self.voices(),
            "zones": sorted(self._plant.layout.zones),
            "groups": {name: list(zones) for name, zones in settings.groups.items()},
            "formats": list(FORMATS),
            "limits": {
                "payload_bytes": settings.limits.payload_bytes,
                "text_max_chars": settings.limits.text_max_chars,
                "queue_items": settings.queue.max_items,
                "ttl_s": settings.queue.ttl_s,
            },
        }

    def voices(self) -> list[dict[str, Any]]:
        """The voices with their languages and what is wrong with them."""
        faults = self._plant.shelf.faults
        return [
            {
                "name": name,
                "engine": found.voice.engine,
                "languages": list(found.voice.languages),
                "speakers": list(found.voice.speakers),
                "rate": found.voice.rate_hz,
                "licence": found.voice.licence,
                "fault": faults[name].code if name in faults else None,
            }
            for name, found in sorted(self._plant.shelf.voices.items())
        ]

    def state(self) -> Mapping[str, Any]:
        """What it does now."""
        view = self._dispatcher.glance()
        scenes = self._conductor.scenes()
        return {
            "state": self._word({scene.act for scene in scenes}, paused=bool(view.paused)),
            "playing": {s.zone: s.id for s in scenes if s.act is not Act.SYNTHESIZING},
            "synthesizing": {s.zone: s.id for s in scenes if s.act is Act.SYNTHESIZING},
            "paused": sorted(view.paused),
            "queue": dict(view.waiting),
            "queue_length": sum(view.waiting.values()),
            "faults": dict(self._faults.active()),
        }

    def queue(self) -> Mapping[str, Any]:
        """What waits and what plays, item by item."""
        view = self._dispatcher.view()
        now = self._plant.clock.monotonic()
        return {
            "playing": {zone: id for zone, id in view.playing.items() if id is not None},
            "bytes": view.waiting_bytes,
            "items": [
                {
                    "id": item.id,
                    "class": item.class_name,
                    "priority": item.priority,
                    "zones": dict(item.stages),
                    "expires_in_s": round(item.expires_at - now, 1),
                }
                for item in view.items
            ],
        }

    def health(self) -> Mapping[str, Any]:
        """Figures of every part."""
        box = box_memory()
        engine = self._plant.pool.status()
        mqtt = self._plant.broker.status()
        lag_s = self.caretaker.loop_lag_s if self.caretaker else 0.0
        return {
            "process": {
                "uptime_s": round(time.monotonic() - self._began_at),
                "rss_bytes": rss_bytes(os.getpid()),
                "cpu_s": round(cpu_s(os.getpid()), 2),
                "loop_lag_ms": round(1e3 * lag_s, 1),
            },
            "os": {
                "memory_total_bytes": box.total_bytes,
                "memory_available_bytes": box.available_bytes,
                "load_1min": round(os.getloadavg()[0], 2),
            },
            "mqtt": {
                "connected": mqtt.connected,
                "version": mqtt.version,
                "connections": mqtt.connections,
                "received": mqtt.received,
                "published": mqtt.published,
                "round_trip_ms": None
                if mqtt.round_trip_s is None
                else round(1e3 * mqtt.round_trip_s, 2),
                "fault": mqtt.fault,
            },
            "engine": {
                "state": engine.state,
                "rss_bytes": engine.rss_bytes,
                "restarts": engine.restarts,
                "fault": engine.fault,
            },
            "cache": dict(self._plant.cache.stats()),
            "queue": dict(self._dispatcher.glance().waiting),
            "faults": dict(self._faults.active()),
        }

    def status(self) -> str:
        """One line for the service manager."""
        mqtt = self._plant.broker.status()
        engine = self._plant.pool.status()
        waiting = sum(self._dispatcher.glance().waiting.values())
        faults = ", ".join(f"{name} ({code})" for name, code in self._faults.active().items())
        line = f"broker {'connected' if mqtt.connected else mqtt.state}, engine {engine.state}"
        line += f", {waiting} waiting"
        return f"{line}; faults: {faults}" if faults else line

    def _word(self, acts: Set[Act], *, paused: bool) -> str:
        if self.is_stopped:
            return "stopped"
        for act in (Act.PLAYING, Act.SYNTHESIZING):
            if act in acts:
                return act.value
        if paused:
            return Act.PAUSED.value
        return "degraded" if self._faults.active() else "idle"
