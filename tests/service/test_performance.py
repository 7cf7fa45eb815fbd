import asyncio

import pytest

from cosyedge.adapters.null_output import NullOutput
from cosyedge.core.announcement import Announcement
from cosyedge.core.errors import EngineFailure
from cosyedge.core.events import EventType
from cosyedge.core.utterance import Utterance
from cosyedge.service.parts import Parts
from cosyedge.service.performance import Performance
from cosyedge.service.phrasebook import Found
from tests.service.fakes import ManualClock, RecordingOutput, cached, crash, speech


def announcement(count: int = 3, *, expires_at: float = 2_000.0) -> Announcement:
    utterances = tuple(Utterance(f"{n}.", f"{n}.", "en") for n in range(count))
    return Announcement("a", 100, ("hall",), utterances, received_at=1_000.0, expires_at=expires_at)


class Workshop:
    """Makes parts and remembers which were begun."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.broken: set[int] = set()

    async def make(self, number: int) -> Found:
        self.begun.append(number)
        if number in self.broken:
            raise crash()
        return Found(cached(speech(0.1 * (number + 1))), cached=False)


def perform(
    *outputs: RecordingOutput | NullOutput,
    fallback: RecordingOutput | None = None,
    workshop: Workshop | None = None,
    what: Announcement | None = None,
    from_part: int = 0,
    heard: list[Performance] | None = None,
) -> Performance:
    what = what or announcement()
    heard = [] if heard is None else heard
    return Performance(
        what,
        "hall",
        outputs,
        fallback,
        parts=Parts("a", what.parts, (workshop or Workshop()).make, lambda _: None),
        shape=lambda found, number: found.entry.speech,
        clock=ManualClock(),
        on_sound=heard.append,
        from_part=from_part,
    )


async def test_every_part_reaches_every_output_in_order() -> None:
    left, right = RecordingOutput("left"), RecordingOutput("right")
    result = await perform(left, right).run()
    assert result.outcome is EventType.FINISHED
    for output in (left, right):
        assert [part.duration_s for part in output.parts] == pytest.approx([0.1, 0.2, 0.3])


async def test_the_next_part_is_made_while_one_plays() -> None:
    output, workshop = RecordingOutput("left"), Workshop()
    output.gate.clear()
    playing = asyncio.create_task(perform(output, workshop=workshop).run())
    while workshop.begun != [0, 1]:
        await asyncio.sleep(0)
    output.gate.set()
    await playing
    assert workshop.begun == [0, 1, 2]


async def test_the_first_sound_is_told_once() -> None:
    heard: list[Performance] = []
    await perform(RecordingOutput("left"), heard=heard).run()
    assert len(heard) == 1


async def test_an_output_that_fails_is_left_behind_and_the_others_go_on() -> None:
    bad, good = RecordingOutput("bad", fails_at=1), RecordingOutput("good")
    performance = perform(bad, good)
    result = await performance.run()
    assert result.outcome is EventType.FINISHED
    assert (len(bad.parts), len(good.parts)) == (1, 3)
    assert performance.account.outputs_failed == {"bad": "device_lost"}


async def test_the_fallback_output_takes_over_at_the_part_that_was_lost() -> None:
    bad, spare = RecordingOutput("bad", fails_at=1), RecordingOutput("spare")
    performance = perform(bad, fallback=spare)
    result = await performance.run()
    assert result.outcome is EventType.FINISHED
    assert [part.duration_s for part in spare.parts] == pytest.approx([0.2, 0.3])
    assert performance.account.degraded == "fallback_output"


async def test_without_an_output_that_works_it_fails_with_the_outputs_code() -> None:
    bad = RecordingOutput("bad", fails_at=0, code="device_missing")
    result = await perform(bad).run()
    assert (result.outcome, result.reason) == (EventType.FAILED, "device_missing")


async def test_an_expired_announcement_is_reported_not_spoken() -> None:
    output = RecordingOutput("left")
    result = await perform(output, what=announcement(expires_at=999.0)).run()
    assert (result.outcome, output.parts) == (EventType.EXPIRED, [])


async def test_it_goes_on_from_the_part_where_it_was_cut() -> None:
    output = RecordingOutput("left")
    await perform(output, from_part=2).run()
    assert [part.duration_s for part in output.parts] == pytest.approx([0.3])


async def test_a_part_that_cannot_be_made_ends_it() -> None:
    workshop = Workshop()
    workshop.broken = {1}
    output = RecordingOutput("left")
    with pytest.raises(EngineFailure):
        await perform(output, workshop=workshop).run()
    assert len(output.parts) == 1


async def test_stop_reaches_every_open_output() -> None:
    output = RecordingOutput("left")
    output.gate.clear()
    performance = perform(output)
    playing = asyncio.create_task(performance.run())
    while not performance.is_open:
        await asyncio.sleep(0)
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    await performance.stop()
    assert output.stopped == 1


class LongPart(Workshop):
    """Makes parts of a minute."""

    async def make(self, number: int) -> Found:
        return Found(cached(speech(60.0)), cached=True)


async def test_first_sample_is_told_while_its_part_still_plays() -> None:
    heard: list[Performance] = []
    output = NullOutput("paced", paced=True)
    performance = perform(output, heard=heard, workshop=LongPart(), what=announcement(1))
    running = asyncio.create_task(performance.run())
    async with asyncio.timeout(10):
        while not heard:
            await asyncio.sleep(0)
    assert not running.done()
    assert performance.account.first_audio_at is not None
    await performance.stop()
    await running
    assert heard == [performance]
