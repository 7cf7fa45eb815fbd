"""The player on a real sound server: what was asked for is what the device plays."""

import asyncio
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from cosyedge.adapters.encoding import to_pcm
from cosyedge.adapters.player import PlayerOutput, PlayerSettings
from cosyedge.core.errors import OutputFailure
from tests.audio.pulse import RATE_HZ, PulseServer, Recorder
from tests.audio.sounds import PROGRAMME, noise, tone

# What the test allows a busy machine beyond the figures that are promised.
SLACK_S = 0.5


async def test_samples_reach_the_device_bit_for_bit_after_the_lead_in(pulse: PulseServer) -> None:
    parts = [noise(0.7, seed=1), noise(0.5, seed=2)]
    output = PlayerOutput("speaker", PlayerSettings(lead_in_s=0.3))
    with Recorder(pulse) as recorder:
        session = await output.open(PROGRAMME)
        await session.write(parts[0], last=False)
        await session.write(parts[1], last=True)
        await session.drain()
    expected = np.concatenate([to_pcm(part.samples) for part in parts])
    # A busy machine lets the server run dry, which puts silence between two samples: the noise
    # is compared without its zeros, so that every other sample must come once and in order.
    assert expected[expected != 0].tobytes() in _without_silence(recorder.heard()).tobytes()
    assert session.playback.played_s == pytest.approx(1.5, abs=0.01)


async def test_playing_takes_as_long_as_the_sound(pulse: PulseServer) -> None:
    output = PlayerOutput("speaker", PlayerSettings())
    with Recorder(pulse):
        session = await output.open(PROGRAMME)
        await session.write(tone(1.5), last=True)
        await session.drain()
        lasted_s = time.monotonic() - (session.playback.first_audio_at or 0.0)
    assert lasted_s >= 1.4


def _without_silence(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    return samples[samples != 0]


async def test_cut_fades_and_ends_within_fade_and_buffers(pulse: PulseServer) -> None:
    output = PlayerOutput("speaker", PlayerSettings())
    with Recorder(pulse) as recorder:
        session = await output.open(PROGRAMME)
        writing = asyncio.create_task(session.write(tone(8.0), last=True))
        await _until(lambda: session.playback.played_s > 1.0)
        begun = time.monotonic()
        sounded_s = begun - (session.playback.first_audio_at or 0.0)
        await session.stop(0.15)
        stopping_s = time.monotonic() - begun
        await writing
    sound = recorder.sounding() / 32768
    assert len(sound) / RATE_HZ <= sounded_s + 0.15 + 0.085 + 0.1 + SLACK_S
    assert stopping_s < 0.15 + 0.085 + 0.1 + 0.3 + SLACK_S
    # A click would be a step as high as the tone's own between two of its neighbours.
    fade, before = sound[-RATE_HZ // 100 :], sound[-RATE_HZ // 2 : -RATE_HZ // 4]
    assert np.abs(fade).max() < 0.1 * np.abs(before).max()


async def test_pause_is_silent_and_goes_on_where_it_was(pulse: PulseServer) -> None:
    output = PlayerOutput("speaker", PlayerSettings())
    with Recorder(pulse) as recorder:
        session = await output.open(PROGRAMME)
        writing = asyncio.create_task(session.write(tone(1.2), last=True))
        await _until(lambda: session.playback.played_s > 0.4)
        await session.hold(True)
        await _until(lambda: not recorder.heard()[-RATE_HZ // 2 :].any())
        assert not writing.done()
        await session.hold(False)
        await writing
        await session.drain()
    sound = np.abs(recorder.sounding().astype(np.int32))
    pieces = sound[: len(sound) // 240 * 240].reshape(-1, 240).max(axis=1)
    loud_s = 0.01 * np.count_nonzero(pieces > 3000)
    quiet_s = 0.01 * np.count_nonzero(pieces == 0)
    assert loud_s == pytest.approx(1.2, abs=0.08)
    assert quiet_s > 0.3


async def test_unplugged_device_is_lost_within_a_second(pulse: PulseServer) -> None:
    output = PlayerOutput("speaker", PlayerSettings())
    # A null sink that nobody listens to takes its samples in gulps of 2 s.
    with Recorder(pulse):
        session = await output.open(PROGRAMME)
        writing = asyncio.create_task(session.write(tone(20.0), last=True))
        await _until(lambda: session.playback.played_s > 0.3)
        await asyncio.to_thread(pulse.unplug)
        unplugged = time.monotonic()
        with pytest.raises(OutputFailure) as caught:
            await writing
    assert caught.value.code == "device_lost"
    assert time.monotonic() - unplugged < 1.0 + SLACK_S
    assert await output.probe() == "device_missing"


async def test_probe_finds_a_player_and_makes_no_sound(pulse: PulseServer) -> None:
    output = PlayerOutput("speaker", PlayerSettings())
    with Recorder(pulse) as recorder:
        assert await output.probe() is None
    assert output.player in ("aplay", "pacat", "pw-cat")
    assert not recorder.heard().any()


async def test_a_set_rate_is_what_the_device_gets(pulse: PulseServer) -> None:
    output = PlayerOutput("speaker", PlayerSettings(rate_hz=48_000))
    with Recorder(pulse) as recorder:
        session = await output.open(PROGRAMME)
        await session.write(tone(1.0, 22_050), last=True)
        await session.drain()
    sound = recorder.sounding()[2400:-2400].astype(np.float64)
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound))))
    pitch_hz = float(np.argmax(spectrum)) * RATE_HZ / len(sound)
    assert pitch_hz == pytest.approx(440.0, abs=2.0)


async def test_keep_awake_lays_a_low_tone_under_the_lead_in(pulse: PulseServer) -> None:
    settings = PlayerSettings(lead_in_s=1.0, keep_awake=True)
    with Recorder(pulse) as recorder:
        session = await PlayerOutput("speaker", settings).open(PROGRAMME)
        await session.write(tone(0.2), last=True)
        await session.drain()
    lead = np.abs(recorder.sounding()[2400:19_200].astype(np.int32))
    assert 80 < lead.max() < 120


async def _until(condition: object) -> None:
    async with asyncio.timeout(20):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)
