"""The output that makes no sound."""

import asyncio
import time

from cosyedge.adapters.null_output import NullOutput
from cosyedge.service.ports import Output
from tests.audio.sounds import PROGRAMME, tone


async def test_unpaced_takes_everything_at_once() -> None:
    output: Output = NullOutput("nothing")
    assert await output.probe() is None
    session = await output.open(PROGRAMME)
    begun = time.monotonic()
    await session.write(tone(600.0, 8_000), last=True)
    await session.drain()
    assert time.monotonic() - begun < 60
    assert session.playback.played_s == 600.0
    assert session.playback.first_audio_at is not None


async def test_paced_takes_as_long_as_the_sound() -> None:
    session = await NullOutput("nothing", paced=True).open(PROGRAMME)
    begun = time.monotonic()
    await session.write(tone(0.3), last=True)
    assert time.monotonic() - begun >= 0.29


async def test_stop_ends_a_paced_part_early() -> None:
    session = await NullOutput("nothing", paced=True).open(PROGRAMME)
    writing = asyncio.create_task(session.write(tone(600.0, 8_000), last=True))
    await asyncio.sleep(0)
    await session.stop(0.15)
    async with asyncio.timeout(10):
        await writing
    assert session.playback.played_s < 10


async def test_pause_holds_a_paced_part_until_it_goes_on() -> None:
    session = await NullOutput("nothing", paced=True).open(PROGRAMME)
    await session.hold(True)
    writing = asyncio.create_task(session.write(tone(0.05), last=True))
    done, _ = await asyncio.wait({writing}, timeout=0.3)
    assert not done
    await session.hold(False)
    async with asyncio.timeout(10):
        await writing
