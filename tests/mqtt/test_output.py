"""The MQTT output: whole clips, several, chunks, what fits, pace, pauses and cuts."""

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import numpy as np
import pytest
import soundfile

from cosyedge.adapters.encoding import Encoder
from cosyedge.adapters.mqtt_output import MqttOutput, MqttOutputSession, MqttOutputSettings
from cosyedge.core.errors import OutputFailure
from cosyedge.core.speech import Speech
from cosyedge.service.ports import Outgoing, Programme
from tests.mqtt.rig import TOPICS, running, settings, until
from tests.support.broker import Broker
from tests.support.listener import listen

CLIP = TOPICS.audio("kitchen", "a1")


@dataclass
class RecordingBroker:
    """Takes every publish at once, or fails as told."""

    connected: bool = True
    max_packet_bytes: int = 10_000_000
    failure: OutputFailure | None = None
    sent: list[tuple[float, Outgoing]] = field(default_factory=list)

    async def publish(self, message: Outgoing, *, deadline_s: float = 30.0) -> None:
        assert deadline_s > 0
        if self.failure is not None:
            raise self.failure
        assert len(message.payload) + len(message.topic) < self.max_packet_bytes
        self.sent.append((time.monotonic(), message))

    @property
    def messages(self) -> list[Outgoing]:
        return [message for _, message in self.sent]

    def suffixes(self) -> list[str]:
        return [message.topic.removeprefix(CLIP).lstrip("/") for message in self.messages]


@pytest.fixture
async def encoder() -> AsyncIterator[Encoder]:
    encoder = Encoder()
    yield encoder
    encoder.close()


def speech(seconds: float = 0.2, *, rate_hz: int = 22050, noise: float = 0.0) -> Speech:
    """A quiet tone; noise makes it hard to compress."""
    frames = np.arange(int(seconds * rate_hz))
    tone = 0.3 * np.sin(2 * np.pi * 220 * frames / rate_hz)
    hiss = np.random.default_rng(1).uniform(-noise, noise, len(frames))
    return Speech((tone + hiss).astype(np.float32), rate_hz)


def programme(parts: int = 1, ttl_s: float = 60.0, **changes: object) -> Programme:
    return Programme("a1", "kitchen", parts, time.monotonic() + ttl_s, **changes)  # type: ignore[arg-type]


async def opened(
    broker: RecordingBroker, encoder: Encoder, wanted: Programme, **options: object
) -> MqttOutputSession:
    output = MqttOutput(
        "broker",
        MqttOutputSettings(**({"pace": "none"} | options)),  # type: ignore[arg-type]
        broker,
        TOPICS,
        encoder.encode,
    )
    return await output.open(wanted)


def frames_of(message: Outgoing) -> int:
    with soundfile.SoundFile(io.BytesIO(message.payload)) as file:
        return int(file.frames)


async def test_one_utterance_is_one_whole_clip(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme())
    await session.write(speech(), last=True)
    await session.drain()
    (clip,) = broker.messages
    assert (clip.topic, clip.qos, clip.retain) == (CLIP, 1, False)
    assert clip.content_type == "audio/wav"
    assert dict(clip.properties) == {
        "id": "a1",
        "rate": "22050",
        "channels": "1",
        "seq": "1",
        "last": "true",
        "duration_ms": "200",
    }
    assert frames_of(clip) == 4410
    assert session.playback.played_s == pytest.approx(0.2)
    assert session.playback.first_audio_at is not None


async def test_several_utterances_are_start_clips_and_end(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(parts=3))
    for number in range(3):
        await session.write(speech(), last=number == 2)
    assert broker.suffixes() == ["start", "1", "2", "3", "end"]
    start, *clips, end = broker.messages
    told = json.loads(start.payload)
    assert told == {
        "id": "a1",
        "zone": "kitchen",
        "parts": 3,
        "format": "wav",
        "content_type": "audio/wav",
        "rate": 22050,
        "channels": 1,
    }
    assert all(frames_of(clip) == 4410 for clip in clips)
    assert [dict(clip.properties)["last"] for clip in clips] == ["false", "false", "true"]
    assert json.loads(end.payload) == {"id": "a1", "pieces": 3, "duration_ms": 600}


@pytest.mark.parametrize(
    ("format", "content_type"),
    [
        ("wav", "audio/wav"),
        ("flac", "audio/flac"),
        ("mp3", "audio/mpeg"),
        ("opus", "audio/ogg"),
        ("pcm", "audio/L16"),
    ],
)
async def test_the_announcement_chooses_the_format(
    encoder: Encoder, format: str, content_type: str
) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(format=format))
    await session.write(speech(), last=True)
    assert broker.messages[0].content_type == content_type


async def test_a_clip_that_does_not_fit_is_transcoded(encoder: Encoder) -> None:
    wav_bytes = 2 * 22050 * 2
    broker = RecordingBroker(max_packet_bytes=wav_bytes)
    session = await opened(broker, encoder, programme())
    await session.write(speech(2.0), last=True)
    assert broker.suffixes() == [""]
    assert broker.messages[0].content_type == "audio/flac"


async def test_what_flac_cannot_shrink_becomes_opus(encoder: Encoder) -> None:
    broker = RecordingBroker(max_packet_bytes=45_000)
    session = await opened(broker, encoder, programme())
    await session.write(speech(2.0, noise=0.6), last=True)
    assert broker.suffixes() == [""]
    assert broker.messages[0].content_type == "audio/ogg"


async def test_what_no_codec_shrinks_is_sent_in_pieces_that_stand_alone(encoder: Encoder) -> None:
    broker = RecordingBroker(max_packet_bytes=6_000)
    session = await opened(broker, encoder, programme())
    await session.write(speech(2.0, noise=0.6), last=True)
    assert broker.suffixes()[0] == "start"
    assert broker.suffixes()[-1] == "end"
    pieces = broker.messages[1:-1]
    assert len(pieces) > 10
    assert sum(frames_of(piece) for piece in pieces) == 44100
    assert [dict(each.properties)["last"] for each in pieces].count("true") == 1


async def test_a_format_that_was_asked_for_is_cut_and_not_changed(encoder: Encoder) -> None:
    broker = RecordingBroker(max_packet_bytes=30_000)
    session = await opened(broker, encoder, programme(format="wav"))
    await session.write(speech(2.0), last=True)
    pieces = broker.messages[1:-1]
    assert {piece.content_type for piece in pieces} == {"audio/wav"}
    assert sum(frames_of(piece) for piece in pieces) == 44100


async def test_what_fits_in_no_way_is_too_large(encoder: Encoder) -> None:
    broker = RecordingBroker(max_packet_bytes=800)
    session = await opened(broker, encoder, programme())
    with pytest.raises(OutputFailure) as caught:
        await session.write(speech(1.0), last=True)
    assert caught.value.code == "too_large"
    assert broker.sent == []


async def test_cloud_clips_stay_below_120_kb(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), profile="cloud")
    await session.write(speech(6.0, noise=0.5), last=True)
    assert all(len(message.payload) <= 120_000 for message in broker.messages)


async def test_esp32_gets_small_chunks_of_16_khz_pcm_at_qos_0(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), profile="esp32")
    await session.write(speech(1.0), last=True)
    start, *chunks, _ = broker.messages
    assert json.loads(start.payload)["rate"] == 16000
    assert {chunk.qos for chunk in chunks} == {0}
    assert max(len(chunk.payload) for chunk in chunks) <= 4096
    assert sum(len(chunk.payload) for chunk in chunks) == 32000


async def test_chunks_are_paced_after_a_head_start(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), profile="esp32", pace="realtime")
    await session.write(speech(1.5), last=True)
    chunks = [at for at, message in broker.sent if message.qos == 0]
    spread_s = chunks[-1] - chunks[0]
    # The last chunk begins at 1.44 s: (1.44 - 0.4) / 1.1.
    assert spread_s > 0.9
    early = [at for at in chunks if at - chunks[0] < 0.05]
    assert len(early) >= 6, "the head start leaves at once"


async def test_real_time_keeps_the_zone_busy_for_the_clip(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), pace="realtime")
    begun = time.monotonic()
    await session.write(speech(0.5), last=True)
    await session.drain()
    assert time.monotonic() - begun >= 0.49
    assert session.playback.played_s == pytest.approx(0.5, abs=0.02)


async def test_the_next_part_leaves_shortly_before_the_end_of_the_last(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(parts=2), pace="realtime")
    await session.write(speech(1.0), last=False)
    await session.write(speech(0.1), last=True)
    sent = {message.topic.rsplit("/", 1)[1]: at for at, message in broker.sent}
    assert sent["2"] - sent["1"] >= 0.45


async def test_a_cut_tells_the_players_to_stop(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), pace="realtime")
    await session.write(speech(5.0), last=True)
    draining = asyncio.create_task(session.drain())
    await asyncio.sleep(0)
    await session.stop(0.15)
    await draining
    assert broker.suffixes() == ["", "stop"]
    assert session.playback.played_s < 2.5
    await session.stop(0.15)
    assert broker.suffixes() == ["", "stop"]


async def test_a_cut_between_chunks_sends_no_more_of_them(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), profile="esp32", pace="realtime")
    writing = asyncio.create_task(session.write(speech(20.0), last=True))
    await until(lambda: len(broker.sent) > 5)
    await session.stop(0.15)
    await writing
    assert broker.suffixes()[-1] == "stop"
    assert len(broker.sent) < 100


async def test_a_cut_before_any_sound_says_nothing_and_never_raises(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme())
    await session.stop(0.15)
    assert broker.sent == []
    failing = await opened(broker, encoder, programme())
    await failing.write(speech(5.0), last=True)
    broker.failure = OutputFailure("broker_unavailable", "gone")
    await failing.stop(0.15)


async def test_a_pause_holds_chunks_and_time(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(), profile="esp32", pace="realtime")
    writing = asyncio.create_task(session.write(speech(2.0), last=True))
    await until(lambda: len(broker.sent) > 8)
    await session.hold(True)
    held = len(broker.sent)
    await asyncio.sleep(0.5)
    assert len(broker.sent) <= held + 1
    await session.hold(False)
    await writing
    assert broker.suffixes()[-1] == "end"


async def test_sound_expires_in_the_broker_with_its_announcement(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(ttl_s=5))
    await session.write(speech(), last=True)
    expiry_s = broker.messages[0].expiry_s
    assert expiry_s is not None
    assert 0 < expiry_s <= 5


async def test_no_first_sound_leaves_after_the_time_to_live(encoder: Encoder) -> None:
    broker = RecordingBroker()
    session = await opened(broker, encoder, programme(ttl_s=-1))
    with pytest.raises(OutputFailure) as caught:
        await session.write(speech(), last=True)
    assert caught.value.code == "expired"
    assert broker.sent == []


async def test_offline_is_a_failure_that_later_programmes_do_not_wait_for(
    encoder: Encoder,
) -> None:
    broker = RecordingBroker(connected=False)
    output = MqttOutput("m", MqttOutputSettings(), broker, TOPICS, encoder.encode)
    assert await output.probe() == "broker_unavailable"
    for _ in range(2):
        begun = time.monotonic()
        with pytest.raises(OutputFailure) as caught:
            await output.open(programme())
        assert caught.value.code == "broker_unavailable"
    assert time.monotonic() - begun < 1.0, "the second one did not wait"
    broker.connected = True
    await output.open(programme())
    assert await output.probe() is None


async def test_a_programme_waits_for_a_session_that_is_just_coming_up(encoder: Encoder) -> None:
    broker = RecordingBroker(connected=False)
    output = MqttOutput("m", MqttOutputSettings(), broker, TOPICS, encoder.encode)
    opening = asyncio.create_task(output.open(programme()))
    await asyncio.sleep(0)
    broker.connected = True
    assert await opening


async def test_a_listener_hears_the_clip_through_a_real_broker(
    broker: Broker, encoder: Encoder
) -> None:
    async with running(settings(broker.port)) as node, listen(broker, f"{CLIP}/#") as ears:
        output = MqttOutput(
            "m", MqttOutputSettings(pace="none"), node.broker, TOPICS, encoder.encode
        )
        session = await output.open(programme())
        await session.write(speech(0.5), last=True)
        await session.drain()
        heard = await ears.topic(CLIP)
    with soundfile.SoundFile(io.BytesIO(heard.payload)) as file:
        assert (file.frames, file.samplerate) == (11025, 22050)
    assert heard.properties["rate"] == "22050"
    assert not heard.retain


async def test_a_small_broker_gets_what_it_can_take(encoder: Encoder) -> None:
    with Broker(lines=["max_packet_size 40000"]) as broker:
        async with running(settings(broker.port)) as node, listen(broker, f"{CLIP}/#") as ears:
            output = MqttOutput(
                "m", MqttOutputSettings(pace="none"), node.broker, TOPICS, encoder.encode
            )
            session = await output.open(programme(format="wav"))
            await session.write(speech(3.0), last=True)
            await ears.topic(f"{CLIP}/end")
            assert node.online == 1
    assert all(len(heard.payload) < 40_000 for heard in ears.heard)
