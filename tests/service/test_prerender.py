"""Phrases that are rendered ahead: together, and in spite of those that fail."""

import asyncio

from cosyedge.core.phrase_cache import phrase_key
from cosyedge.service.phrasebook import Phrasebook
from cosyedge.service.prerender import TOGETHER, Prerenderer
from cosyedge.service.reader import Reader
from cosyedge.service.settings import Deadlines, Phrase
from cosyedge.text.options import ReadingOptions
from tests.service.fakes import ManualClock, MemoryStore, ScriptedEngine, cached, crash


def make(engine: ScriptedEngine, store: MemoryStore, *, again_first_s: float = 5.0) -> Prerenderer:
    book = Phrasebook(
        store,
        engine,
        ManualClock(),
        key_of=lambda request, digest: phrase_key(request, digest, "1", ""),
        measure=cached,
        deadlines=Deadlines(),
    )
    reader = Reader(engine.voices, ReadingOptions(), default_voice="hall", quality={})
    return Prerenderer(book, reader, again_first_s=again_first_s)


def phrases(count: int, voice: str = "hall") -> list[Phrase]:
    return [Phrase(f"Line {number} stands.", "en", voice) for number in range(1, count + 1)]


async def test_wanted_phrases_are_made_in_groups_and_kept() -> None:
    engine, store = ScriptedEngine(), MemoryStore()
    prerenderer = make(engine, store)
    running = asyncio.create_task(prerenderer.run())
    prerenderer.want(phrases(TOGETHER + 1))
    async with asyncio.timeout(10):
        while len(store.pinned) < TOGETHER + 1:
            await asyncio.sleep(0)
    running.cancel()
    assert engine.calls == [TOGETHER, 1]
    assert await prerenderer.missing() == []


async def test_phrases_of_two_voices_are_two_calls() -> None:
    engine, store = ScriptedEngine(voices=("hall", "yard")), MemoryStore()
    prerenderer = make(engine, store)
    await prerenderer.prefetch([*phrases(2), *phrases(1, "yard")], pin=False)
    assert engine.calls == [2, 1]
    assert len(store.entries) == 3


async def test_a_phrase_that_cannot_be_made_keeps_no_other_from_being_made() -> None:
    engine, store = ScriptedEngine(crash(), 0.1, crash(), 0.1), MemoryStore()
    prerenderer = make(engine, store)
    await prerenderer.prefetch([*phrases(3), Phrase("Hello.", "en", "nobody")], pin=True)
    # The unknown voice ends the group before the engine is asked; then each is asked for alone.
    assert len(engine.requests) == 3
    assert len(store.entries) == 1


async def test_what_an_engine_in_trouble_did_not_make_is_tried_again() -> None:
    engine, store = ScriptedEngine(*[crash()] * 7), MemoryStore()
    prerenderer = make(engine, store, again_first_s=0.01)
    running = asyncio.create_task(prerenderer.run())
    prerenderer.want([*phrases(2), Phrase("...", "en", "hall")])
    async with asyncio.timeout(10):
        while len(store.pinned) < 2:
            await asyncio.sleep(0.01)
    running.cancel()
    assert await prerenderer.missing() == ["..."]


async def test_a_text_that_is_refused_is_not_tried_again() -> None:
    prerenderer = make(ScriptedEngine(crash(), crash(), crash()), MemoryStore())
    unspeakable = Phrase("...", "en", "hall")
    assert await prerenderer.prefetch([unspeakable, *phrases(2)], pin=False) == phrases(2)
