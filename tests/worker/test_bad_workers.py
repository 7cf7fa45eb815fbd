"""Whatever a worker says, its parent neither hangs nor dies nor hands it on."""

import asyncio
from dataclasses import replace

import pytest

from cosyedge.core.errors import EngineFailure
from cosyedge.core.shaping import check_audio
from tests.support.voices import hibari, say
from tests.worker.asking import failure_of, speech_of, until
from tests.worker.conftest import Hire
from tests.worker.fake_worker import BAD_FRAMES, BAD_SAMPLES

FIVE = say("Hello")


async def test_a_good_one_is_heard(hire: Hire) -> None:
    client = hire("good")
    await client.start()
    (speech,) = await speech_of(client, FIVE)
    assert check_audio(speech.samples, speech.rate_hz, 5) is None


@pytest.mark.parametrize("behaviour", sorted(BAD_SAMPLES))
async def test_bad_samples_are_bad_audio_and_cost_no_worker(hire: Hire, behaviour: str) -> None:
    client = hire(behaviour)
    await client.start()
    pid = client.pid
    assert (await failure_of(client, FIVE)).code == "bad_audio"
    assert (await failure_of(client, FIVE)).code == "bad_audio"
    assert client.pid == pid


async def test_speech_that_never_came_is_bad_audio(hire: Hire) -> None:
    client = hire("missing")
    await client.start()
    assert (await failure_of(client, FIVE, FIVE)).code == "bad_audio"


@pytest.mark.parametrize(
    "behaviour",
    [*sorted(BAD_FRAMES), "stray_index", "stray_id", "odd_body", "odd_rate", "unknown_code"],
)
async def test_nonsense_is_a_crash_and_the_worker_is_replaced(hire: Hire, behaviour: str) -> None:
    client = hire(behaviour)
    await client.start()
    pid = client.pid
    assert (await failure_of(client, FIVE, deadline_s=10)).code == "engine_crashed"
    await until(lambda: client.pid not in (pid, None) and client.state == "ready")
    assert client.counters["crashes"] == 1


async def test_a_repeated_index_is_nonsense(hire: Hire) -> None:
    client = hire("twice")
    await client.start()
    assert (await failure_of(client, FIVE)).code == "engine_crashed"


async def test_an_abort_in_mid_speech_is_a_crash_and_says_the_signal(hire: Hire) -> None:
    client = hire("dies")
    await client.start()
    assert (await failure_of(client, FIVE)).code == "engine_crashed"
    await until(lambda: client.fault is not None)
    assert "SIGABRT" in str(client.fault)


async def test_a_worker_deaf_to_its_cancel_is_killed_after_the_grace(hire: Hire) -> None:
    client = hire("deaf", cancel_grace_s=0.05)
    await client.start()
    pid = client.pid
    assert (await failure_of(client, FIVE, deadline_s=0.05)).code == "engine_timeout"
    await until(lambda: client.pid not in (pid, None) and client.state == "ready")
    assert client.counters["timeouts"] == 1


async def test_a_worker_that_hears_its_cancel_is_kept(hire: Hire) -> None:
    client = hire("patient", cancel_grace_s=10.0)
    await client.start()
    pid = client.pid
    assert (await failure_of(client, FIVE, deadline_s=0.05)).code == "engine_timeout"
    await until(lambda: client.state == "ready")
    assert client.pid == pid


async def test_a_worker_that_answers_no_ping_is_replaced(hire: Hire) -> None:
    client = hire("no_pong")
    await client.start()
    pid = client.pid
    with pytest.raises(EngineFailure) as caught:
        await client.ping(0.05)
    assert caught.value.code == "engine_timeout"
    await until(lambda: client.pid not in (pid, None) and client.state == "ready")


async def test_a_load_that_hangs_is_ended_at_its_deadline(hire: Hire) -> None:
    client = hire("hangs_in_load", load_deadline_s=0.1)
    await client.start()
    assert client.state == "failed"
    assert client.fault is not None
    assert client.fault.code == "engine_timeout"


async def test_a_worker_that_dies_in_its_load_fails_who_waits_and_is_tried_for_ever(
    hire: Hire,
) -> None:
    client = hire("dies_in_load")
    client.begin()
    waiting = asyncio.create_task(failure_of(client, FIVE))
    await client.start()
    assert client.state == "failed"
    assert (await waiting).code == "engine_crashed"
    crashes = client.counters["crashes"]
    await until(lambda: client.counters["crashes"] > crashes + 3)


async def test_waiting_by_design_has_a_deadline_and_being_idle_has_none(hire: Hire) -> None:
    client = hire("good")
    client.begin()
    await until(lambda: client.pid is not None)
    assert client.deadline_at is not None
    await client.start()
    assert client.deadline_at is None
    refused = hire("refuses", backoff_first_s=60.0, backoff_most_s=60.0)
    await refused.start()
    await until(lambda: refused.deadline_at is not None and refused.pid is None)
    assert refused.deadline_at - refused.last_progress > 20


async def test_a_refused_voice_keeps_the_workers_own_code(hire: Hire) -> None:
    client = hire("refuses")
    await client.start()
    failure = await failure_of(client, FIVE)
    assert failure.code == "model_invalid"
    assert "HTML" in str(failure)


async def test_a_program_that_is_not_there_is_unavailable(hire: Hire) -> None:
    client = hire("good")
    client._command = ("/nonexistent/worker",)
    await client.start()
    assert (await failure_of(client, FIVE)).code == "engine_unavailable"


async def test_a_manifest_larger_than_a_frame_is_an_invalid_model(hire: Hire) -> None:
    good = hibari()
    huge = replace(good.voice, settings={"words": "x" * 1_000_000})
    client = hire("good", found=replace(good, voice=huge))
    await client.start()
    assert (await failure_of(client, FIVE)).code == "model_invalid"


async def test_a_request_larger_than_a_frame_costs_no_worker(hire: Hire) -> None:
    client = hire("good")
    await client.start()
    pid = client.pid
    failure = await failure_of(client, say("x" * 1_000_000))
    assert failure.code == "engine_error"
    assert len(await speech_of(client, FIVE)) == 1
    assert client.pid == pid
