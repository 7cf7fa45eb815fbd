"""The phrasebook: a sentence's speech, from the cache or from an engine, made once."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from cosyedge.core.announcement import CacheUse
from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.service.ports import CachedSpeech, Clock, PhraseStore, SpeechEngine
from cosyedge.service.settings import Deadlines
from cosyedge.service.streak import FailureStreak

SECONDS_PER_CHARACTER = 0.09
SECONDS_PER_IDEOGRAM = 0.28


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence's speech and where it came from; ``synth_ms`` is 0 for a cached one."""

    entry: CachedSpeech
    cached: bool
    synth_ms: float = 0.0
    degraded: str | None = None
    reason: str | None = None


@dataclass(slots=True, eq=False)
class Flight:
    """A synthesis under way and how many wait for it."""

    task: asyncio.Task[Found]
    waiters: int = 0


def expected_speech_s(spoken: str) -> float:
    """Guess how long ``spoken`` sounds, in seconds; generous, for deadlines only."""
    ideograms = sum(1 for character in spoken if character >= "\u2e80")
    return ideograms * SECONDS_PER_IDEOGRAM + (len(spoken) - ideograms) * SECONDS_PER_CHARACTER


class Phrasebook:
    """Finds speech by request; concurrent requests for one phrase share one synthesis."""

    def __init__(
        self,
        store: PhraseStore,
        engine: SpeechEngine,
        clock: Clock,
        *,
        key_of: Callable[[SpeechRequest, str], str],
        measure: Callable[[Speech], CachedSpeech],
        deadlines: Deadlines,
    ) -> None:
        """``key_of`` takes a request and its voice's digest; ``measure`` runs in a thread."""
        self.streak = FailureStreak()
        self._deadlines = deadlines
        self.store = store
        self.engine = engine
        self._clock = clock
        self._key_of = key_of
        self._measure = measure
        self._flights: dict[str, Flight] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    def key(self, request: SpeechRequest) -> str:
        """The cache key. Raises EngineFailure for a voice that is not there."""
        voice = self.engine.voices.get(request.voice)
        if voice is None:
            raise EngineFailure("model_missing", f"the voice {request.voice} is not there")
        return self._key_of(request, voice.digest)

    async def find(
        self,
        request: SpeechRequest,
        *,
        use: CacheUse = CacheUse.USE,
        priority: int = 0,
    ) -> Found:
        """The phrase, cached or made now. Raises EngineFailure."""
        key = self.key(request)
        if use in (CacheUse.USE, CacheUse.PIN):
            entry = await self._kept(key, use)
            if entry is not None:
                return Found(entry, cached=True)
        if use is CacheUse.BYPASS:
            return await self._make(request, priority)
        return await self._join(key, request, use, priority)

    def recall(self, request: SpeechRequest, use: CacheUse) -> Found | None:
        """The phrase, if it lies in memory and ``use`` asks for nothing more."""
        if use is not CacheUse.USE or request.voice not in self.engine.voices:
            return None
        entry = self.store.recall(self.key(request))
        return None if entry is None else Found(entry, cached=True)

    async def prepare(
        self, requests: Sequence[SpeechRequest], *, pin: bool, priority: int = 0
    ) -> None:
        """Keep what the cache lacks of ``requests``, made in one call: their runs may be shared.

        They name one voice. Raises EngineFailure; what was made before it is kept.
        """
        use = CacheUse.PIN if pin else CacheUse.USE
        wanted = {self.key(request): request for request in requests}
        # Whoever it gave way to may have asked for one of them.
        while wanted := {
            key: request for key, request in wanted.items() if await self._kept(key, use) is None
        }:
            keys = list(wanted)
            try:
                # Whoever is cancelled while an entry is kept leaves no synthesis behind.
                async with aclosing(self._spoken(list(wanted.values()), priority)) as answers:
                    async for index, speech in answers:
                        entry = await asyncio.to_thread(self._measure, speech)
                        await self.store.keep(keys[index], entry, pinned=pin)
                        del wanted[keys[index]]
            except Cancelled:
                continue  # it gave way to a higher class

    async def is_kept(self, request: SpeechRequest) -> bool:
        """Whether the cache holds the phrase."""
        return await self.store.fetch(self.key(request)) is not None

    async def close(self) -> None:
        """Wait for the entries that are still being written."""
        await asyncio.gather(*self._keeping, return_exceptions=True)

    async def _kept(self, key: str, use: CacheUse) -> CachedSpeech | None:
        entry = self.store.recall(key) or await self.store.fetch(key)
        if entry is not None and use is CacheUse.PIN:
            await self.store.pin(key)
        return entry

    async def _join(self, key: str, request: SpeechRequest, use: CacheUse, priority: int) -> Found:
        flight = self._flights.get(key)
        if flight is None:
            flight = self._take_off(key, request, use, priority)
        flight.waiters += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if not flight.waiters and not flight.task.done():
                self._flights.pop(key, None)
                flight.task.cancel()

    def _take_off(self, key: str, request: SpeechRequest, use: CacheUse, priority: int) -> Flight:
        task = asyncio.create_task(
            self._make_and_keep(key, request, use, priority), name=f"synthesis {key[:12]}"
        )
        flight = self._flights[key] = Flight(task)

        def land(done: asyncio.Task[Found]) -> None:
            if self._flights.get(key) is flight:
                del self._flights[key]
            if not done.cancelled():
                done.exception()  # the waiters were told; nobody else needs to be

        task.add_done_callback(land)
        return flight

    async def _make_and_keep(
        self, key: str, request: SpeechRequest, use: CacheUse, priority: int
    ) -> Found:
        found = await self._make(request, priority)
        keeping = asyncio.create_task(
            self.store.keep(key, found.entry, pinned=use is CacheUse.PIN), name="keep phrase"
        )
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)
        return found

    async def _make(self, request: SpeechRequest, priority: int) -> Found:
        """Ask the engine; one that gave way to a higher class asks again."""
        while True:
            begun = self._clock.monotonic()
            try:
                made = [speech async for _, speech in self._spoken([request], priority)]
            except Cancelled:
                continue
            entry = await asyncio.to_thread(self._measure, made[0])
            return Found(entry, cached=False, synth_ms=1e3 * (self._clock.monotonic() - begun))

    async def _spoken(
        self, requests: Sequence[SpeechRequest], priority: int
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        """Yield each request's speech and note how it went; raises EngineFailure."""
        try:
            async with aclosing(self._asked(requests, priority)) as answers:
                async for indexed in answers:
                    self.streak.succeeded()
                    yield indexed
        except Cancelled:
            raise
        except EngineFailure as failure:
            # An engine that knows its fault tells it, and its end, by itself.
            if self.engine.status().fault is None:
                self.streak.failed(failure)
            raise

    async def _asked(
        self, requests: Sequence[SpeechRequest], priority: int
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        """Ask the engine; raises EngineFailure also where it leaves a request out."""
        missing = set(range(len(requests)))
        deadline_s = sum(self._deadline_s(request) for request in requests)
        stream = self.engine.synthesize(
            requests, deadline_s=deadline_s, priority=priority, preempt=True
        )
        async with aclosing(stream) as answers:
            async for index, speech in answers:
                missing.discard(index)
                yield index, speech
        if missing:
            raise EngineFailure("bad_audio", "the engine answered without speech")

    def _deadline_s(self, request: SpeechRequest) -> float:
        factor = self.engine.voices[request.voice].real_time_factor
        expected_s = expected_speech_s(request.spoken) / request.speed * factor
        limits = self._deadlines
        return min(max(limits.shortest_s, limits.factor * expected_s), limits.longest_s)
