from dataclasses import replace

import pytest

from cosyedge.core.errors import EngineFailure
from cosyedge.service.ladder import Ladder
from tests.service.fakes import ScriptedEngine, cached, crash, speech
from tests.service.test_phrasebook import REQUEST, make

TONE = cached(speech(0.4))


async def test_a_crash_is_tried_once_more_and_leaves_no_mark() -> None:
    engine = ScriptedEngine(crash(), 0.1)
    found = await Ladder(make(engine), fallback_voice=None, tone=TONE).find(REQUEST)
    assert found.degraded is None
    assert len(engine.requests) == 2


async def test_the_fallback_voice_speaks_when_the_first_one_cannot() -> None:
    engine = ScriptedEngine(crash(), crash("engine_timeout"), 0.1, voices=("hall", "spare"))
    found = await Ladder(make(engine), fallback_voice="spare", tone=TONE).find(REQUEST)
    assert (found.degraded, found.reason) == ("fallback_voice", "engine_timeout")
    assert engine.requests[-1].voice == "spare"


async def test_a_fallback_voice_of_another_language_is_not_asked() -> None:
    engine = ScriptedEngine(crash(), crash(), voices=("hall", "spare"))
    ladder = Ladder(make(engine), fallback_voice="spare", tone=TONE)
    found = await ladder.find(replace(REQUEST, lang="zh"))
    assert found.degraded == "attention_tone"
    assert {request.voice for request in engine.requests} == {"hall"}


async def test_the_attention_tone_is_the_last_rung() -> None:
    engine = ScriptedEngine(*(crash() for _ in range(4)), voices=("hall", "spare"))
    found = await Ladder(make(engine), fallback_voice="spare", tone=TONE).find(REQUEST)
    assert (found.degraded, found.reason) == ("attention_tone", "engine_crashed")
    assert found.entry is TONE


async def test_without_a_tone_the_failure_is_told() -> None:
    engine = ScriptedEngine(crash("out_of_memory"), crash())
    with pytest.raises(EngineFailure) as caught:
        await Ladder(make(engine), fallback_voice=None, tone=None).find(REQUEST)
    assert caught.value.code == "engine_crashed"


async def test_a_missing_model_is_not_asked_twice() -> None:
    engine = ScriptedEngine(crash("model_missing"), 0.1)
    found = await Ladder(make(engine), fallback_voice=None, tone=TONE).find(REQUEST)
    assert found.degraded == "attention_tone"
    assert len(engine.requests) == 1


async def test_the_next_sentence_starts_at_the_top_again() -> None:
    engine = ScriptedEngine(crash(), crash(), 0.1)
    ladder = Ladder(make(engine), fallback_voice=None, tone=TONE)
    assert (await ladder.find(REQUEST)).degraded == "attention_tone"
    assert (await ladder.find(REQUEST)).degraded is None
