"""The client with the real worker and the default voice."""

import asyncio
import os
import random
import resource
import signal
from contextlib import aclosing, suppress

import numpy as np
import psutil
import pytest

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.speech import Speech
from tests.support.voices import hibari, say, with_file
from tests.worker.asking import failure_of, speech_of, until
from tests.worker.conftest import Hire

DOOR = say("The front door opened.")
LONG = say("The washing machine is done, and it is cold outside, " * 12)


async def test_it_speaks_and_becomes_ready_again(hire: Hire) -> None:
    client = hire()
    await client.start()
    assert client.state == "ready"
    (speech,) = await speech_of(client, DOOR)
    assert speech.rate_hz == 24_000
    assert 1 < speech.duration_s < 3
    await until(lambda: client.state == "ready")
    assert client.fault is None


async def test_several_sentences_come_one_by_one(hire: Hire) -> None:
    client = hire()
    client.begin()
    first, second = await speech_of(client, DOOR, say("It is raining."))
    assert not np.array_equal(first.samples, second.samples)


async def test_no_request_gives_no_speech(hire: Hire) -> None:
    client = hire()
    await client.start()
    assert await speech_of(client) == []


async def test_a_request_waits_for_the_start(hire: Hire) -> None:
    client = hire()
    client.begin()
    assert client.state == "starting"
    assert len(await speech_of(client, DOOR)) == 1


async def test_a_stopped_worker_is_unavailable_and_leaves_no_process(hire: Hire) -> None:
    client = hire()
    await client.start()
    pid = client.pid
    assert pid is not None
    await client.stop()
    assert client.state == "stopped"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (await failure_of(client, DOOR)).code == "engine_unavailable"


async def test_stopping_at_any_moment_of_the_start_leaves_no_process(hire: Hire) -> None:
    before = set(psutil.Process().children())
    for turns in range(0, 60, 3):
        client = hire()
        client.begin()
        for _ in range(turns):
            await asyncio.sleep(0)
        await client.stop()
    assert set(psutil.Process().children()) == before


async def test_stopping_in_the_middle_of_recycling_leaves_no_process(hire: Hire) -> None:
    before = set(psutil.Process().children())
    for turns in range(8):
        client = hire("good")
        await client.start()
        recycling = asyncio.create_task(client.recycle())
        for _ in range(turns):
            await asyncio.sleep(0)
        await client.stop()
        await recycling
    assert set(psutil.Process().children()) == before


async def test_stopping_lets_all_who_wait_go(hire: Hire) -> None:
    client = hire()
    await client.start()
    asked = [asyncio.create_task(failure_of(client, LONG)) for _ in range(3)]
    await until(lambda: client.state == "busy")
    await client.stop()
    assert [failure.code for failure in await asyncio.gather(*asked)] == ["engine_unavailable"] * 3


async def test_an_engines_refusal_reaches_its_caller_alone(hire: Hire) -> None:
    client = hire()
    await client.start()
    assert (await failure_of(client, say("火"))).code == "engine_error"
    assert len(await speech_of(client, DOOR)) == 1
    assert client.counters["crashes"] == 0


async def test_the_idle_worker_answers_a_ping(hire: Hire) -> None:
    client = hire()
    await client.start()
    assert 0 < await client.ping(5.0) < 5.0


async def test_a_busy_worker_answers_a_ping_only_after_its_job(hire: Hire) -> None:
    client = hire()
    await client.start()
    asked = asyncio.create_task(speech_of(client, LONG))
    await until(lambda: client.state == "busy")
    assert client.deadline_at is not None
    await client.ping(20.0)
    assert client.deadline_at is None
    assert len(await asked) == 1


async def test_closing_the_answers_cancels_the_run_without_a_kill(hire: Hire) -> None:
    client = hire(cancel_grace_s=5.0)
    await client.start()
    pid = client.pid
    async with aclosing(client.synthesize([DOOR, *[LONG] * 60], deadline_s=60)) as answers:
        async for index, _ in answers:
            assert index == 0
            break
    await until(lambda: client.state == "ready", within_s=2.0)
    assert len(await speech_of(client, DOOR)) == 1
    assert client.pid == pid


async def test_a_cancelled_caller_cancels_the_run(hire: Hire) -> None:
    client = hire(cancel_grace_s=5.0)
    await client.start()
    asked = asyncio.create_task(speech_of(client, *[LONG] * 60))
    await until(lambda: client.state == "busy")
    asked.cancel()
    with suppress(asyncio.CancelledError):
        await asked
    await until(lambda: client.state == "ready", within_s=2.0)


async def test_a_higher_priority_goes_first_among_those_who_wait(hire: Hire) -> None:
    client = hire()
    await client.start()
    order: list[int] = []

    async def ask(priority: int) -> None:
        await speech_of(client, DOOR, priority=priority)
        order.append(priority)

    first = asyncio.create_task(speech_of(client, LONG, priority=300))
    await until(lambda: client.state == "busy")
    async with asyncio.TaskGroup() as group:
        for priority in (10, 100, 50, 100):
            group.create_task(ask(priority))
    await first
    assert order == [100, 100, 50, 10]


async def test_a_higher_priority_cuts_the_run_in_hand(hire: Hire) -> None:
    client = hire(cancel_grace_s=5.0)
    await client.start()
    pid = client.pid
    low = asyncio.create_task(failure_of(client, *[LONG] * 60, priority=100))
    await until(lambda: client.state == "busy")
    assert len(await speech_of(client, say("Fire!"), priority=240, preempt=True)) == 1
    assert isinstance(await low, Cancelled)
    assert client.pid == pid


@pytest.mark.parametrize(("priority", "preempt"), [(100, True), (99, True), (240, False)])
async def test_no_other_request_cuts_the_run_in_hand(
    hire: Hire, priority: int, preempt: bool
) -> None:
    client = hire()
    await client.start()
    running = asyncio.create_task(speech_of(client, LONG, priority=100))
    await until(lambda: client.state == "busy")
    await speech_of(client, DOOR, priority=priority, preempt=preempt)
    assert len(await running) == 1


async def test_recycling_replaces_the_process_between_two_sentences(hire: Hire) -> None:
    client = hire()
    await client.start()
    pid = client.pid
    running = asyncio.create_task(speech_of(client, LONG))
    await until(lambda: client.state == "busy")
    await client.recycle()
    assert len(await running) == 1
    assert client.state == "ready"
    assert client.pid != pid
    assert client.counters == {"crashes": 0, "timeouts": 0, "recycles": 1}
    assert len(await speech_of(client, DOOR)) == 1


async def test_a_worker_over_its_soft_cap_is_recycled_by_itself(hire: Hire) -> None:
    client = hire(recycle_above_bytes=1 << 20)
    await client.start()
    pid = client.pid
    assert len(await speech_of(client, DOOR)) == 1
    await until(lambda: client.pid not in (pid, None) and client.state == "ready")
    assert client.counters["recycles"] == 1


async def test_an_idle_worker_gives_its_runs_memory_back(hire: Hire) -> None:
    client = hire()
    await client.start()
    await speech_of(client, LONG)
    used_bytes = client.rss_bytes()
    await until(lambda: client.rss_bytes() < used_bytes - (10 << 20))


# Faults: the worker is killed, stopped, starved, or its voice broken.


@pytest.mark.parametrize("fatal", [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV])
async def test_a_killed_idle_worker_is_replaced(hire: Hire, fatal: signal.Signals) -> None:
    client = hire()
    await client.start()
    pid = client.pid
    assert pid is not None
    os.kill(pid, fatal)
    await until(lambda: client.pid not in (pid, None) and client.state == "ready")
    assert client.counters["crashes"] == 1
    assert len(await speech_of(client, DOOR)) == 1


async def test_a_worker_killed_at_any_moment_costs_at_most_its_own_request(hire: Hire) -> None:
    client = hire()
    await client.start()
    rng = random.Random(7)
    for _ in range(4):
        await client.start()
        asked = asyncio.create_task(_speech_or_failure(client))
        await asyncio.sleep(rng.uniform(0, 0.4))
        if client.pid is not None:
            os.kill(client.pid, signal.SIGKILL)
        outcome = await asked
        assert isinstance(outcome, Speech) or outcome.code == "engine_crashed"
        async with asyncio.timeout(20):
            while not isinstance(await _speech_or_failure(client), Speech):
                pass


async def _speech_or_failure(client: object) -> Speech | EngineFailure:
    try:
        (speech,) = await speech_of(client, LONG)
    except EngineFailure as failure:
        return failure
    return speech


async def test_a_request_in_hand_fails_with_the_crash_and_the_next_one_is_spoken(
    hire: Hire,
) -> None:
    client = hire()
    await client.start()
    in_hand = asyncio.create_task(failure_of(client, *[LONG] * 60))
    await until(lambda: client.state == "busy")
    waiting = asyncio.create_task(speech_of(client, DOOR))
    assert client.pid is not None
    os.kill(client.pid, signal.SIGKILL)
    failure = await in_hand
    assert failure.code == "engine_crashed"
    assert len(await waiting) == 1


async def test_a_stopped_process_is_killed_at_its_deadline(hire: Hire) -> None:
    client = hire()
    await client.start()
    pid = client.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    failure = await failure_of(client, DOOR, deadline_s=0.3)
    assert failure.code == "engine_timeout"
    assert len(await speech_of(client, DOOR)) == 1
    assert client.pid != pid
    assert client.counters["timeouts"] == 1
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_r5_after_a_hang_the_next_request_is_spoken_within_5_s(hire: Hire) -> None:
    client = hire()
    await client.start()
    assert client.pid is not None
    os.kill(client.pid, signal.SIGSTOP)
    assert (await failure_of(client, DOOR, deadline_s=0.1)).code == "engine_timeout"
    async with asyncio.timeout(5):
        assert len(await speech_of(client, DOOR)) == 1


async def test_a_stopped_idle_process_is_found_by_the_ping(hire: Hire) -> None:
    client = hire()
    await client.start()
    pid = client.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(EngineFailure) as caught:
        await client.ping(0.2)
    assert caught.value.code == "engine_timeout"
    assert len(await speech_of(client, DOOR)) == 1
    assert client.pid != pid


async def test_a_synthesis_past_its_deadline_is_cut_without_a_kill(hire: Hire) -> None:
    client = hire(cancel_grace_s=5.0)
    await client.start()
    pid = client.pid
    failure = await failure_of(client, *[LONG] * 60, deadline_s=0.2)
    assert failure.code == "engine_timeout"
    assert len(await speech_of(client, DOOR)) == 1
    assert client.pid == pid


async def test_a_run_over_the_memory_cap_fails_and_the_same_worker_goes_on(hire: Hire) -> None:
    client = hire()
    await client.start()
    pid = client.pid
    assert pid is not None
    await speech_of(client, DOOR)
    resource.prlimit(pid, resource.RLIMIT_DATA, (1 << 20, resource.RLIM_INFINITY))
    assert (await failure_of(client, LONG)).code == "out_of_memory"
    resource.prlimit(pid, resource.RLIMIT_DATA, (resource.RLIM_INFINITY,) * 2)
    assert len(await speech_of(client, LONG)) == 1
    assert client.pid == pid


async def test_the_memory_cap_is_kept_by_the_worker_itself(hire: Hire) -> None:
    cap_bytes = 1024 << 20
    client = hire(memory_cap_bytes=cap_bytes)
    await client.start()
    assert client.pid is not None
    soft_bytes, _ = resource.prlimit(client.pid, resource.RLIMIT_DATA)
    assert cap_bytes // 2 < soft_bytes < cap_bytes + (256 << 20)
    assert len(await speech_of(client, LONG)) == 1


async def test_a_cap_below_the_voice_itself_is_out_of_memory_and_never_a_hang(hire: Hire) -> None:
    client = hire(memory_cap_bytes=64 << 20)
    await client.start()
    assert client.state == "failed"
    failure = await failure_of(client, DOOR)
    assert failure.code == "out_of_memory"
    assert "the cap is 64 MB" in str(failure)


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "model_missing"), (b"", "model_invalid"), (b"<html>404", "model_invalid")],
    ids=["missing", "empty", "html"],
)
async def test_a_broken_voice_fails_at_once_and_is_tried_again(
    hire: Hire, tmp_path, content: bytes | None, code: str
) -> None:
    good = hibari()
    broken = with_file(good, tmp_path / "voice", "model", content, believed=False)
    client = hire(found=broken)
    await client.start()
    assert client.state == "failed"
    assert client.fault is not None
    assert client.fault.code == code
    assert (await failure_of(client, DOOR)).code == code
    mended = (good.folder / "assets/hibari.onnx").read_bytes()
    (broken.folder / "assets/hibari.onnx").write_bytes(mended)
    await until(lambda: client.state == "ready")
    assert client.fault is None
    assert len(await speech_of(client, DOOR)) == 1
