"""From an MQTT message to sound, with a real broker, a real worker and the real voice."""

import asyncio
import io
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.support.broker import Broker
from tests.support.listener import Heard, Listener, listen
from tests.support.node import BASE, OUTPUTS, Node, ask, running_node, workers_of

TEXT = "The washing machine is done."

REFUSALS = [
    (b"", "empty_text"),
    (b"   ", "empty_text"),
    ("。。。".encode(), "nothing_speakable"),
    ("🎉".encode(), "nothing_speakable"),
    (b"x" * 20_000, "too_large"),
    (b"word " * 1_500, "too_long"),
    (b"\xff\xfe", "invalid_utf8"),
    (b"{oops", "not_json"),
    (b'{"text": "a", "text": "b"}', "duplicate_key"),
    (b'{"text": 3}', "wrong_type"),
    (b'{"text": "hello", "volume": true}', "wrong_type"),
    (b'{"text": "hello", "speed": 9}', "invalid_value"),
    (b'{"text": "hello", "voice": "nobody"}', "unknown_voice"),
    (b'{"text": "hello", "zone": "moon"}', "unknown_zone"),
    (b'{"text": "hello", "lang": "zh"}', "unsupported_language"),
    (b'{"text": "hello", "media": "gong"}', "unknown_media"),
    (b'{"text": "hello", "reply_to": "cosyedge/box/say"}', "forbidden_topic"),
    (b'{"template": "nothing"}', "invalid_value"),
]


def is_rejection(heard: Heard) -> bool:
    return heard.topic == f"{BASE}/event" and heard.json["event_type"] == "rejected"


@pytest.fixture
async def node(broker: Broker, tmp_path: Path) -> AsyncIterator[tuple[Node, Listener]]:
    async with running_node(broker, tmp_path) as pair:
        yield pair


async def say(listener: Listener, text: str, topic: str = "say", **keys: object) -> None:
    listener.publish(f"{BASE}/{topic}", json.dumps({"text": text} | keys))


async def test_mosquitto_pub_is_heard_as_a_wav_by_another_client(
    node: tuple[Node, Listener], broker: Broker
) -> None:
    _, listener = node
    argv = ["mosquitto_pub", "-h", broker.host, "-p", str(broker.port), "-q", "1"]
    await asyncio.to_thread(
        subprocess.run, [*argv, "-t", f"{BASE}/say", "-m", TEXT], check=True, timeout=10
    )
    finished = await listener.event("finished")
    clip = await listener.topic(f"{BASE}/audio/default/{finished['id']}")
    samples, rate_hz = soundfile.read(io.BytesIO(clip.payload))
    assert clip.content_type == "audio/wav"
    assert rate_hz == 24_000
    assert 0.8 < len(samples) / rate_hz < 5
    assert float(np.sqrt(np.mean(samples**2))) > 0.01


async def test_the_events_tell_the_story_in_order(node: tuple[Node, Listener]) -> None:
    _, listener = node
    await say(listener, TEXT, id="a1")
    finished = await listener.event("finished", id="a1")
    types = [
        heard.json["event_type"]
        for heard in listener.heard
        if heard.topic == f"{BASE}/event" and heard.json["id"] == "a1"
    ]
    assert types == ["accepted", "started", "finished"]
    assert finished["zones"] == {"default": {"result": "finished"}}
    assert finished["timings"]["first_audio_ms"] > 0
    assert finished["audio"]["rate"] == 24_000


async def test_the_second_time_it_comes_from_the_cache(node: tuple[Node, Listener]) -> None:
    _, listener = node
    await say(listener, TEXT, id="first")
    await say(listener, TEXT, id="second")
    assert (await listener.event("finished", id="first"))["cached"] is False
    assert (await listener.event("finished", id="second"))["cached"] is True


async def test_several_sentences_come_as_start_clips_and_end(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    await say(listener, "The front door opened. The back door closed. All is well.", id="b")
    await listener.event("finished", id="b")
    topics = [
        heard.topic.removeprefix(f"{BASE}/audio/default/b/")
        for heard in listener.heard
        if heard.topic.startswith(f"{BASE}/audio/default/b/")
    ]
    assert topics[0] == "start"
    assert topics[-1] == "end"
    assert len(topics) >= 4


async def test_each_refusal_is_an_event_and_the_next_message_works(
    broker: Broker, tmp_path: Path
) -> None:
    config = f"[limits]\nrate_burst = 1000\n{OUTPUTS}"
    async with running_node(broker, tmp_path, config) as (_, listener):
        told = {}
        for number, (payload, _) in enumerate(REFUSALS):
            listener.publish(f"{BASE}/say", payload)
            events = await listener.wait(is_rejection, count=number + 1)
            told[payload] = events[-1].json["reason"]
            await say(listener, TEXT, id=f"after-{number}")
            await listener.event("finished", id=f"after-{number}")
        assert told == dict(REFUSALS)


async def test_a_refusal_names_the_id_of_its_payload(node: tuple[Node, Listener]) -> None:
    _, listener = node
    await say(listener, TEXT, id="fast", speed=9)
    refused = await listener.event("rejected", id="fast")
    assert (refused["reason"], refused["field"]) == ("invalid_value", "speed")
    listener.publish(f"{BASE}/say", b'{"text": "hello", "id": "../x"}')
    (nameless,) = await listener.wait(lambda h: is_rejection(h) and h.json["id"] is None)
    assert (nameless.json["reason"], nameless.json["field"]) == ("invalid_value", "id")


async def test_a_retained_command_is_refused(broker: Broker, tmp_path: Path) -> None:
    async with listen(broker) as sender:
        sender.publish(f"{BASE}/say", "A stale announcement.", retain=True)
        await sender.topic(f"{BASE}/say")
    async with running_node(broker, tmp_path) as (_, listener):
        await say(listener, TEXT, id="fresh")
        await listener.event("finished", id="fresh")
        heard = [h for h in listener.heard if h.topic.endswith("/event")]
        accepted = [h.json["id"] for h in heard if h.json["event_type"] == "accepted"]
        assert accepted == ["fresh"]


async def test_an_id_is_spoken_once(node: tuple[Node, Listener]) -> None:
    _, listener = node
    await say(listener, TEXT, id="twin")
    await listener.event("finished", id="twin")
    await say(listener, TEXT, id="twin")
    await listener.event("duplicate", id="twin")
    clips = [heard for heard in listener.heard if heard.topic.endswith("/default/twin")]
    assert len(clips) == 1


async def test_same_content_without_an_id_is_said_once(node: tuple[Node, Listener]) -> None:
    _, listener = node
    listener.publish(f"{BASE}/say", TEXT)
    listener.publish(f"{BASE}/say", TEXT)
    accepted = await listener.event("accepted")
    assert (await listener.event("coalesced"))["into"] == accepted["id"]


async def test_a_message_that_expired_at_the_broker_is_never_spoken(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    await say(listener, TEXT, id="late", ttl=0.001)
    expired = await listener.event("expired", id="late")
    assert expired["zones"]["default"]["reason"] == "expired"
    assert not [heard for heard in listener.heard if "/audio/" in heard.topic]


async def test_the_response_topic_hears_the_end_with_its_correlation(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    listener.publish(
        f"{BASE}/say",
        json.dumps({"text": TEXT, "id": "asked"}),
        ResponseTopic="home/answers",
        CorrelationData=b"42",
    )
    answer = await listener.topic("home/answers")
    assert (answer.json["event_type"], answer.correlation) == ("finished", b"42")


async def test_a_class_above_the_grant_is_capped_and_the_event_says_so(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    await say(listener, TEXT, id="loud", **{"class": "emergency"})
    accepted = await listener.event("accepted", id="loud")
    assert (accepted["class"], accepted["capped_by"]) == ("high", ["grant"])


async def test_prefetch_makes_the_phrase_without_a_sound(node: tuple[Node, Listener]) -> None:
    _, listener = node
    stored = (await ask(listener, "cache_stats"))["stored"]
    listener.publish(f"{BASE}/prefetch", json.dumps([TEXT]))
    while (await ask(listener, "cache_stats"))["stored"] == stored:
        await asyncio.sleep(0.02)
    assert not [heard for heard in listener.heard if "/audio/" in heard.topic]
    await say(listener, TEXT, id="quick")
    assert (await listener.event("finished", id="quick"))["cached"] is True


async def test_a_key_that_is_not_acted_on_yet_is_a_warning(node: tuple[Node, Listener]) -> None:
    _, listener = node
    await say(listener, TEXT, id="w", chime="gong", colour="red")
    accepted = await listener.event("accepted", id="w")
    assert set(accepted["warnings"]) == {"unknown_key:colour", "not_supported_yet:chime"}


async def test_the_supervisor_never_imports_onnxruntime(node: tuple[Node, Listener]) -> None:
    running, listener = node
    await say(listener, TEXT, id="x")
    await listener.event("finished", id="x")
    mapped = Path(f"/proc/{running.pid}/maps").read_text()
    assert "onnxruntime" not in mapped
    (worker,) = workers_of(running.pid)
    assert "onnxruntime" in Path(f"/proc/{worker}/maps").read_text()


async def test_a_request_that_is_not_known_is_refused(node: tuple[Node, Listener]) -> None:
    _, listener = node
    listener.publish(f"{BASE}/request/dance", "{}")
    assert (await listener.event("rejected"))["field"] == "command"


async def test_the_smallest_chunks_are_cut_and_blame_no_output(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    await say(listener, TEXT, id="small", chunk_bytes=1024)
    await listener.event("finished", id="small")
    clips = [h for h in listener.heard if h.topic.startswith(f"{BASE}/audio/default/small/")]
    assert max(len(clip.payload) for clip in clips) <= 1024
    await say(listener, TEXT, id="opus", chunk_bytes=1024, format="mp3")
    await listener.wait(lambda h: h.topic.endswith("/event") and h.json["id"] == "opus", count=2)
    assert "output.broker" not in (await ask(listener, "faults"))["faults"]


async def test_with_texts_in_the_log_the_accepted_event_shows_how_it_was_read(
    broker: Broker, tmp_path: Path
) -> None:
    config = f"[log]\ntext = true\n[text]\nmarkup = 'ssml'\n{OUTPUTS}"
    async with running_node(broker, tmp_path, config) as (_, listener):
        await say(listener, "It is <sub alias='cold'>-3°C</sub>, 21.5°C inside.", id="d")
        accepted = await listener.event("accepted", id="d")
        assert any("twenty-one point five" in line for line in accepted["debug"])
        assert "debug" not in await listener.event("finished", id="d")


async def test_an_orderly_stop_says_offline_and_leaves_no_child(
    node: tuple[Node, Listener],
) -> None:
    running, listener = node
    (worker,) = workers_of(running.pid)
    assert await running.stop() == 0
    offline = [h for h in listener.heard if h.topic == f"{BASE}/availability"]
    assert offline[-1].payload == b"offline"
    assert not Path(f"/proc/{worker}").exists()
