"""The pool: one worker a voice, within the memory of all."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cosyedge.adapters.procstat import rss_bytes
from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.speech import SpeechRequest
from cosyedge.service.ports import SpeechEngine
from cosyedge.worker.pool import PoolSettings, WorkerPool
from cosyedge.worker.settings import WorkerSettings
from tests.support.voices import hibari
from tests.worker.asking import failure_of, speech_of, until

FOUND = hibari()
NAMES = ("hibari", "second", "third")
WORKER_CAP_BYTES = 400 << 20
LONG = "The washing machine is done, and it is cold outside, " * 20

MakePool = Callable[..., WorkerPool]


def say(voice: str, text: str = "Hello.") -> SpeechRequest:
    return SpeechRequest(text, "en", voice)


@pytest.fixture
async def make_pool() -> AsyncIterator[MakePool]:
    """Make pools of one voice under three names; they are stopped at the end."""
    made: list[WorkerPool] = []

    def make(total_cap_bytes: int | None = None, folder: Path = FOUND.folder) -> WorkerPool:
        worker = WorkerSettings(threads=1, memory_cap_bytes=WORKER_CAP_BYTES)
        pool = WorkerPool(
            {name: replace(FOUND.voice, name=name) for name in NAMES},
            dict.fromkeys(NAMES, folder),
            PoolSettings("hibari", worker, total_cap_bytes),
            rss_of=rss_bytes,
        )
        made.append(pool)
        return pool

    yield make
    for pool in made:
        await pool.stop()


def _running(pool: WorkerPool) -> list[str]:
    return [name for name in NAMES if pool.worker(name).state != "stopped"]


async def test_the_default_voice_is_warm_and_others_start_when_asked(make_pool: MakePool) -> None:
    pool: SpeechEngine = make_pool()
    assert isinstance(pool, WorkerPool)
    await pool.start()
    assert _running(pool) == ["hibari"]
    assert pool.status().state == "ready"
    assert len(await speech_of(pool, say("second"))) == 1
    assert _running(pool) == ["hibari", "second"]
    assert pool.status().rss_bytes > 200 << 20


async def test_the_least_recently_used_voice_gives_way(make_pool: MakePool) -> None:
    # Room for one that runs, some 200 MB, and one more of at most 400 MB.
    pool = make_pool(total_cap_bytes=700 << 20)
    for name in ("second", "third"):
        await speech_of(pool, say(name))
    await speech_of(pool, say("second"))
    await speech_of(pool, say("hibari"))
    assert _running(pool) == ["hibari", "second"]


async def test_the_default_voice_is_the_last_to_give_way(make_pool: MakePool) -> None:
    pool = make_pool(total_cap_bytes=700 << 20)
    await pool.start()
    for name in ("second", "third"):
        await speech_of(pool, say(name))
    assert _running(pool) == ["hibari", "third"]


async def test_a_voice_gives_way_only_after_its_sentence(make_pool: MakePool) -> None:
    pool = make_pool(total_cap_bytes=500 << 20)
    await pool.start()
    in_hand = asyncio.create_task(speech_of(pool, say("hibari", LONG)))
    await until(lambda: pool.worker("hibari").state == "busy")
    assert pool.status().deadline_at is not None
    assert len(await speech_of(pool, say("second"))) == 1
    assert len(await in_hand) == 1
    assert _running(pool) == ["second"]


async def test_an_urgent_request_for_another_voice_cuts_a_lower_one(make_pool: MakePool) -> None:
    pool = make_pool(total_cap_bytes=500 << 20)
    await pool.start()
    in_hand = asyncio.create_task(failure_of(pool, *[say("hibari", LONG)] * 50, priority=100))
    await until(lambda: pool.worker("hibari").state == "busy")
    waiting = asyncio.create_task(failure_of(pool, say("hibari"), priority=50))
    await until(lambda: pool.worker("hibari").waiting == 1)
    made = await speech_of(pool, say("second"), priority=240, preempt=True)
    assert len(made) == 1
    assert isinstance(await in_hand, Cancelled)
    assert isinstance(await waiting, Cancelled)
    assert _running(pool) == ["second"]


async def test_many_at_once_start_one_worker(make_pool: MakePool) -> None:
    pool = make_pool()
    made = await asyncio.gather(*(speech_of(pool, say("second")) for _ in range(5)))
    assert [len(speech) for speech in made] == [1] * 5
    assert _running(pool) == ["second"]
    assert pool.status().restarts == 0


async def test_an_unknown_voice_is_named(make_pool: MakePool) -> None:
    pool = make_pool()
    failure = await failure_of(pool, say("nobody"))
    assert failure.code == "unknown_voice"


async def test_one_call_is_for_one_voice(make_pool: MakePool) -> None:
    pool = make_pool()
    failure = await failure_of(pool, say("hibari"), say("second"))
    assert failure.code == "engine_error"


async def test_a_pool_without_its_model_starts_and_says_so(
    make_pool: MakePool, tmp_path: Path
) -> None:
    pool = make_pool(folder=tmp_path)
    await pool.start()
    status = pool.status()
    assert (status.state, status.fault) == ("failed", "model_missing")
    assert (await failure_of(pool, say("hibari"))).code == "model_missing"


async def test_an_idle_pool_answers_a_ping_and_a_stopped_one_does_not(
    make_pool: MakePool,
) -> None:
    pool = make_pool()
    await pool.start()
    assert 0 < await pool.ping(5.0) < 5.0
    await pool.stop()
    assert pool.status().state == "stopped"
    with pytest.raises(EngineFailure) as caught:
        await pool.ping(5.0)
    assert caught.value.code == "engine_unavailable"
