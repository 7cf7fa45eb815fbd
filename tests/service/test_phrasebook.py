import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from cosyedge.core.announcement import CacheUse
from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.phrase_cache import phrase_key
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.service.phrasebook import Phrasebook, expected_speech_s
from cosyedge.service.ports import CachedSpeech
from cosyedge.service.settings import Deadlines
from tests.service.fakes import (
    ManualClock,
    MemoryStore,
    ScriptedEngine,
    cached,
    crash,
    speech,
    voice,
)

REQUEST = SpeechRequest("The door opened.", "en", "hall")


def make(engine: ScriptedEngine, store: MemoryStore | None = None) -> Phrasebook:
    return Phrasebook(
        store or MemoryStore(),
        engine,
        ManualClock(),
        key_of=lambda request, digest: phrase_key(request, digest, "1", ""),
        measure=cached,
        deadlines=Deadlines(),
    )


async def test_a_phrase_is_made_once_and_then_comes_from_the_cache() -> None:
    engine = ScriptedEngine()
    book = make(engine)
    first = await book.find(REQUEST)
    await book.close()
    second = await book.find(REQUEST)
    assert (first.cached, second.cached) == (False, True)
    assert len(engine.requests) == 1


async def test_concurrent_requests_for_one_phrase_share_one_synthesis() -> None:
    engine = ScriptedEngine()
    engine.gate.clear()
    book = make(engine)
    waiting = [asyncio.create_task(book.find(REQUEST)) for _ in range(5)]
    await asyncio.sleep(0)
    engine.gate.set()
    found = await asyncio.gather(*waiting)
    assert len(engine.requests) == 1
    assert len({id(each.entry) for each in found}) == 1


async def test_one_impatient_listener_does_not_take_the_phrase_from_the_others() -> None:
    engine = ScriptedEngine()
    engine.gate.clear()
    book = make(engine)
    impatient, patient = (asyncio.create_task(book.find(REQUEST)) for _ in range(2))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(impatient, return_exceptions=True)
    engine.gate.set()
    assert not (await patient).cached
    assert engine.cancelled == 0


async def test_a_synthesis_that_nobody_waits_for_is_cancelled() -> None:
    engine = ScriptedEngine()
    engine.gate.clear()
    book = make(engine)
    only = asyncio.create_task(book.find(REQUEST))
    while not engine.requests:
        await asyncio.sleep(0)
    only.cancel()
    await asyncio.gather(only, return_exceptions=True)
    while not engine.cancelled:
        await asyncio.sleep(0)
    engine.gate.set()
    assert not (await book.find(REQUEST)).cached


async def test_a_synthesis_that_gave_way_is_asked_for_again() -> None:
    engine = ScriptedEngine(Cancelled(), Cancelled(), 0.2)
    found = await make(engine).find(REQUEST)
    assert found.entry.speech.duration_s == pytest.approx(0.2)
    assert len(engine.requests) == 3


async def test_a_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    engine = ScriptedEngine(crash())
    engine.gate.clear()
    store = MemoryStore()
    book = make(engine, store)
    waiting = [asyncio.create_task(book.find(REQUEST)) for _ in range(2)]
    await asyncio.sleep(0)
    engine.gate.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [EngineFailure, EngineFailure]
    assert store.entries == {}


async def test_refresh_makes_it_again_and_bypass_leaves_no_trace() -> None:
    engine = ScriptedEngine()
    store = MemoryStore()
    book = make(engine, store)
    await book.find(REQUEST, use=CacheUse.BYPASS)
    await book.close()
    assert store.entries == {}
    await book.find(REQUEST)
    await book.close()
    assert not (await book.find(REQUEST, use=CacheUse.REFRESH)).cached
    assert len(engine.requests) == 3


async def test_pin_marks_a_new_and_a_cached_phrase() -> None:
    store = MemoryStore()
    book = make(ScriptedEngine(), store)
    await book.find(REQUEST, use=CacheUse.PIN)
    await book.close()
    assert len(store.pinned) == 1


async def test_a_voice_that_is_not_there_is_named() -> None:
    book = make(ScriptedEngine())
    with pytest.raises(EngineFailure) as caught:
        await book.find(SpeechRequest("Hello.", "en", "nobody"))
    assert caught.value.code == "model_missing"


def test_chinese_is_expected_to_take_longer_a_character_than_english() -> None:
    assert expected_speech_s("门开了") > expected_speech_s("abc")


@pytest.mark.parametrize(
    ("chars", "real_time_factor", "deadline_s"),
    [(16, 1.0, 5.0), (100, 1.0, 27.0), (100, 0.1, 5.0), (100, 10.0, 60.0)],
)
async def test_r5_a_deadline_is_three_times_what_is_expected_of_5_to_60_s(
    chars: int, real_time_factor: float, deadline_s: float
) -> None:
    engine = ScriptedEngine()
    engine.set_voice(replace(voice("hall"), real_time_factor=real_time_factor))
    await make(engine).find(SpeechRequest("x" * chars, "en", "hall"))
    assert engine.deadlines_s == [pytest.approx(deadline_s)]


def sentences(*texts: str) -> list[SpeechRequest]:
    return [replace(REQUEST, spoken=text) for text in texts]


async def test_phrases_that_nobody_waits_for_are_made_in_one_call() -> None:
    engine, store = ScriptedEngine(), MemoryStore()
    book = make(engine, store)
    await book.find(REQUEST)
    await book.close()
    await book.prepare([REQUEST, *sentences("One.", "Two.", "Two.")], pin=True)
    assert engine.calls == [1, 2]
    assert len(store.entries) == len(store.pinned) == 3


async def test_phrases_that_gave_way_are_made_afterwards_without_those_that_are_kept() -> None:
    engine, store = ScriptedEngine(0.1, Cancelled()), MemoryStore()
    await make(engine, store).prepare(sentences("One.", "Two.", "Three."), pin=False)
    assert engine.calls == [3, 2]
    assert len(store.entries) == 3


async def test_a_failure_among_several_keeps_what_was_made_before_it() -> None:
    engine, store = ScriptedEngine(0.1, crash()), MemoryStore()
    with pytest.raises(EngineFailure):
        await make(engine, store).prepare(sentences("One.", "Two.", "Three."), pin=False)
    assert len(store.entries) == 1


async def test_several_phrases_have_the_time_of_all() -> None:
    engine = ScriptedEngine()
    book = make(engine)
    await book.find(REQUEST, use=CacheUse.BYPASS)
    await book.prepare(sentences("The door opened!", "The door opened?"), pin=False)
    assert engine.deadlines_s[1] == pytest.approx(2 * engine.deadlines_s[0])


class CutEngine(ScriptedEngine):
    """Its first call gives way to somebody who has a sentence of it made meanwhile."""

    def __init__(self, store: MemoryStore, made: SpeechRequest) -> None:
        super().__init__()
        self._store = store
        self._made = made

    async def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        if not self.calls:
            self.calls.append(len(requests))
            await make(ScriptedEngine(), self._store).prepare([self._made], pin=False)
            raise Cancelled
        asked = super().synthesize(
            requests, deadline_s=deadline_s, priority=priority, preempt=preempt
        )
        async for answer in asked:
            yield answer


async def test_what_was_made_while_a_group_gave_way_is_not_made_again_but_pinned() -> None:
    store = MemoryStore()
    group = sentences("One.", "Two.", "Three.")
    engine = CutEngine(store, group[1])
    await make(engine, store).prepare(group, pin=True)
    assert engine.calls == [3, 2]
    assert len(store.pinned) == 3


class SlowStore(MemoryStore):
    """A store whose disk keeps nothing for as long as anybody waits."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def keep(self, key: str, entry: CachedSpeech, *, pinned: bool = False) -> None:
        self.asked.set()
        await asyncio.Event().wait()


class ClosedEngine(ScriptedEngine):
    """Knows how many of its answers are still being read."""

    reading = 0

    async def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        self.reading += 1
        try:
            for index in range(len(requests)):
                yield index, speech()
        finally:
            await asyncio.sleep(0)
            self.reading -= 1


async def test_a_preparation_cancelled_while_it_keeps_leaves_no_synthesis_behind() -> None:
    engine, store = ClosedEngine(), SlowStore()
    group = sentences("One.", "Two.")
    preparing = asyncio.create_task(make(engine, store).prepare(group, pin=False))
    await store.asked.wait()
    assert engine.reading == 1
    preparing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await preparing
    assert engine.reading == 0


async def test_speech_that_fails_again_and_again_is_a_fault_until_some_is_made() -> None:
    engine = ScriptedEngine(crash(), crash("out_of_memory"), Cancelled(), crash("bad_audio"), 0.1)
    book = make(engine)
    codes = []
    for text in ("One.", "Two.", "Three."):
        with pytest.raises(EngineFailure):
            await book.find(replace(REQUEST, spoken=text))
        codes.append(book.streak.code())
    assert codes == [None, None, "bad_audio"]
    await book.find(REQUEST)
    assert book.streak.code() is None


async def test_speech_that_an_engine_at_fault_refuses_is_no_fault_of_its_own() -> None:
    engine = ScriptedEngine(*(crash("model_missing") for _ in range(4)))
    engine.fault = "model_missing"
    book = make(engine)
    for text in ("One.", "Two.", "Three.", "Four."):
        with pytest.raises(EngineFailure):
            await book.find(replace(REQUEST, spoken=text))
    assert book.streak.code() is None
