"""What the node answers to requests."""

from collections.abc import Callable, Mapping
from typing import Any

from cosyedge.core.announcement import VoiceChoice
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.errors import Refusal
from cosyedge.core.selectors import Selector
from cosyedge.daemon.pictures import Pictures
from cosyedge.daemon.plant import Plant
from cosyedge.service.conductor import Conductor
from cosyedge.service.faults import Faults
from cosyedge.service.phrasebook import Phrasebook
from cosyedge.service.prerender import Prerenderer
from cosyedge.service.reader import Reader
from cosyedge.service.requests import Answer
from cosyedge.wire.commands import Request
from cosyedge.wire.grants import GrantPolicy, ceiling

SELFTEST_TEXT = "This is a test."


class Answers:
    """One method a request; each returns the answer's data or raises a CosyedgeError."""

    def __init__(
        self,
        plant: Plant,
        pictures: Pictures,
        dispatcher: Dispatcher,
        conductor: Conductor,
        faults: Faults,
        phrasebook: Phrasebook,
        reader: Reader,
        prerenderer: Prerenderer,
        *,
        grants: GrantPolicy,
        reload: Callable[[], None],
    ) -> None:
        self._plant = plant
        self._pictures = pictures
        self._dispatcher = dispatcher
        self._conductor = conductor
        self._faults = faults
        self._phrasebook = phrasebook
        self._reader = reader
        self._prerenderer = prerenderer
        self._grant = ceiling(grants.say)
        self._reload = reload

    def table(self) -> Mapping[str, Answer]:
        """The answer to each request by its name."""
        return {
            "ping": self._ping,
            "info": self._info,
            "voices": self._voices,
            "queue": self._queue,
            "cache_stats": self._cache_stats,
            "cache_clear": self._cache_clear,
            "clear": self._clear,
            "ack": self._ack,
            "faults": self._list_faults,
            "fault_ack": self._fault_ack,
            "selftest": self._selftest,
            "phrases": self._phrases,
            "reload": self._reload_settings,
        }

    async def _ping(self, _: Request) -> Mapping[str, Any]:
        return {}

    async def _info(self, _: Request) -> Mapping[str, Any]:
        return self._pictures.info()

    async def _voices(self, _: Request) -> Mapping[str, Any]:
        return {"voices": self._pictures.voices()}

    async def _queue(self, _: Request) -> Mapping[str, Any]:
        return self._pictures.queue()

    async def _cache_stats(self, _: Request) -> Mapping[str, Any]:
        return dict(self._plant.cache.stats())

    async def _cache_clear(self, request: Request) -> Mapping[str, Any]:
        return {"dropped": await self._plant.cache.clear(pinned=request.pinned)}

    async def _clear(self, request: Request) -> Mapping[str, Any]:
        now = self._plant.clock.monotonic()
        before = sum(self._dispatcher.glance().waiting.values())
        if request.zone is None and request.class_name is None:
            decisions = self._dispatcher.clear(self._grant, now)
        else:
            selector = Selector(None, request.class_name, request.zone)
            decisions = self._dispatcher.cancel(selector, self._grant, now)
        self._conductor.carry_out(decisions)
        return {"cleared": before - sum(self._dispatcher.glance().waiting.values())}

    async def _ack(self, request: Request) -> Mapping[str, Any]:
        if request.id is None:
            raise Refusal("wrong_type", "the id to acknowledge is needed", field="id")
        known = self._dispatcher.find(request.id) is not None
        now = self._plant.clock.monotonic()
        self._conductor.carry_out(self._dispatcher.acknowledge(request.id, now))
        return {"acknowledged": known}

    async def _list_faults(self, _: Request) -> Mapping[str, Any]:
        return {
            "faults": [
                {
                    "id": fault.name,
                    "code": fault.code,
                    "raised_at": fault.raised_at,
                    "cleared_at": fault.cleared_at,
                    "acknowledged_at": fault.acked_at,
                }
                for fault in self._faults.kept()
            ]
        }

    async def _fault_ack(self, request: Request) -> Mapping[str, Any]:
        return {"acknowledged": self._faults.acknowledge(request.id)}

    async def _selftest(self, _: Request) -> Mapping[str, Any]:
        """Speak into nothing: the reader, the cache and the worker, without a sound."""
        clock = self._plant.clock
        begun = clock.monotonic()
        reading = await self._reader.read(SELFTEST_TEXT, lang="en")
        request = self._reader.request(reading.utterances[0], VoiceChoice())
        found = await self._phrasebook.find(request)
        return {
            "cached": found.cached,
            "synth_ms": round(found.synth_ms, 1),
            "took_ms": round(1e3 * (clock.monotonic() - begun), 1),
            "duration_ms": round(1e3 * found.entry.speech.duration_s),
        }

    async def _phrases(self, _: Request) -> Mapping[str, Any]:
        return {
            "phrases": self._prerenderer.texts(),
            "missing": await self._prerenderer.missing(),
        }

    async def _reload_settings(self, _: Request) -> Mapping[str, Any]:
        self._reload()
        return {}
