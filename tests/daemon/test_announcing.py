"""A public-address operator's day, with a real broker, daemon and voice."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.broker import Broker
from tests.support.listener import Listener
from tests.support.node import BASE, OUTPUTS, Node, ask, running_node

LONG = "The first sentence is spoken now. The second sentence follows it. The third one ends it."
CONFIG = """
default_zone = "hall"
[outputs.paced]
kind = "mqtt"
pace = "realtime"
[outputs.quick]
kind = "mqtt"
pace = "none"
[zones.hall]
outputs = ["paced"]
[zones.yard]
outputs = ["quick"]
[groups]
everywhere = ["hall", "yard"]
[templates.line_stopped]
en = "Line {line} has stopped."
[[phrases]]
text = "Please leave the building."
"""


@pytest.fixture
async def node(broker: Broker, tmp_path: Path) -> AsyncIterator[tuple[Node, Listener]]:
    async with running_node(broker, tmp_path, CONFIG) as pair:
        yield pair


def say(listener: Listener, text: str, topic: str = "say", **keys: Any) -> None:
    listener.publish(f"{BASE}/{topic}", json.dumps({"text": text} | keys))


def events_of(listener: Listener, id: str) -> list[str]:
    return [
        heard.json["event_type"]
        for heard in listener.heard
        if heard.topic == f"{BASE}/event" and heard.json["id"] == id
    ]


async def test_an_emergency_cuts_what_plays_which_then_goes_on_at_its_sentence(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    say(listener, LONG, id="talk")
    await listener.topic(f"{BASE}/audio/hall/talk/1")
    say(listener, "Fire alarm.", "say/emergency", id="fire")
    finished = await listener.event("finished", id="fire")
    assert finished["class"] == "emergency"
    interrupted = await listener.event("interrupted", id="talk")
    assert interrupted["reason"] == "preempted"
    await listener.event("resumed", id="talk")
    await listener.event("finished", id="talk", timeout=20)
    order = [
        (heard.json["event_type"], heard.json["id"])
        for heard in listener.heard
        if heard.topic == f"{BASE}/event"
    ]
    assert order.index(("started", "fire")) < order.index(("resumed", "talk"))
    assert order.index(("finished", "fire")) < order.index(("finished", "talk"))


async def test_what_drops_when_cut_ends_as_preempted(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, LONG, id="talk", resume="drop")
    await listener.event("started", id="talk")
    say(listener, "Attention please.", "say/urgent", id="urgent")
    cancelled = await listener.event("cancelled", id="talk")
    assert cancelled["reason"] == "preempted"
    await listener.event("finished", id="urgent")


async def test_higher_classes_go_first_and_equals_in_order(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, LONG, id="first")
    await listener.event("started", id="first")
    for id, kind in (("n1", "normal"), ("b1", "background"), ("n2", "normal"), ("h1", "high")):
        say(listener, f"Message {id}.", id=id, interrupt="never", **{"class": kind})
    await listener.event("finished", id="b1", timeout=30)
    finished = [
        heard.json["id"]
        for heard in listener.heard
        if heard.topic == f"{BASE}/event" and heard.json["event_type"] == "finished"
    ]
    assert finished == ["first", "h1", "n1", "n2", "b1"]


async def test_a_group_hears_it_in_each_of_its_zones(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, "Good morning.", id="group", zone="everywhere")
    finished = await listener.event("finished", id="group")
    assert finished["zones"] == {"hall": {"result": "finished"}, "yard": {"result": "finished"}}
    await listener.topic(f"{BASE}/audio/hall/group")
    await listener.topic(f"{BASE}/audio/yard/group")


async def test_cancel_ends_what_plays_and_the_player_is_told_to_stop(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    say(listener, LONG, id="talk")
    await listener.event("started", id="talk")
    listener.publish(f"{BASE}/cancel", '{"id": "talk"}')
    cancelled = await listener.event("cancelled", id="talk")
    assert cancelled["reason"] == "cancelled"
    await listener.topic(f"{BASE}/audio/hall/talk/stop")


async def test_a_plain_cancel_does_not_reach_an_emergency(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, LONG, "say/emergency", id="fire")
    await listener.event("started", id="fire")
    listener.publish(f"{BASE}/cancel", '{"id": "fire"}')
    rejected = await listener.event("rejected")
    assert rejected["reason"] == "not_granted"
    listener.publish(f"{BASE}/cancel/emergency", "all")
    await listener.event("cancelled", id="fire")


async def test_skip_and_replay(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, LONG, id="talk")
    await listener.event("started", id="talk")
    listener.publish(f"{BASE}/skip", "hall")
    assert (await listener.event("cancelled", id="talk"))["reason"] == "skipped"
    listener.publish(f"{BASE}/replay")
    again = (
        await listener.wait(
            lambda heard: heard.topic.endswith("/event") and b'"replay_of":"talk"' in heard.payload
        )
    )[0].json
    assert again["id"] != "talk"
    await listener.event("finished", id=again["id"], timeout=20)


async def test_pause_holds_the_zone_and_resume_lets_it_go_on(node: tuple[Node, Listener]) -> None:
    _, listener = node
    listener.publish(f"{BASE}/pause", "hall")
    say(listener, "Later.", id="later")
    say(listener, "Now.", id="now", zone="yard")
    await listener.event("finished", id="now")
    assert events_of(listener, "later") == ["accepted"]
    listener.publish(f"{BASE}/resume")
    await listener.event("finished", id="later")


async def test_repeats_until_somebody_acknowledges(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, "Pump stopped.", id="pump", zone="yard", until_ack=True, repeat_interval=0.1)
    clip = f"{BASE}/audio/yard/pump"
    await listener.wait(lambda heard: heard.topic == clip, count=3)
    await ask(listener, "ack", '{"id": "pump"}')
    finished = await listener.event("finished", id="pump")
    assert finished["acknowledged"] is True
    assert finished["rounds"] >= 3


async def test_a_newer_one_of_its_key_replaces_what_waits(node: tuple[Node, Listener]) -> None:
    _, listener = node
    listener.publish(f"{BASE}/pause", "hall")
    say(listener, "It is 20 degrees.", id="old", coalesce_key="temperature")
    say(listener, "It is 21 degrees.", id="new", coalesce_key="temperature")
    assert (await listener.event("cancelled", id="old"))["reason"] == "replaced"
    listener.publish(f"{BASE}/resume")
    await listener.event("finished", id="new")


async def test_of_a_backlog_the_most_urgent_are_spoken_and_the_rest_is_told(
    broker: Broker, tmp_path: Path
) -> None:
    config = f"[queue]\nburst_max = 3\n{OUTPUTS}"
    async with running_node(broker, tmp_path, config) as (running, listener):
        await running.stop()
        for number in range(8):
            kind = "high" if number in (5, 6) else "normal"
            say(listener, f"Message {number}.", id=f"m{number}", **{"class": kind})
        running.start()
        await listener.wait(lambda heard: b"burst_limit" in heard.payload, count=5)
        await listener.wait(
            lambda heard: b'"finished"' in heard.payload and b'"m' in heard.payload, count=3
        )
        spoken = [id for id in map("m{}".format, range(8)) if "finished" in events_of(listener, id)]
        assert spoken == ["m0", "m5", "m6"]
        for number in range(8):
            assert len(events_of(listener, f"m{number}")) in (2, 3)


async def test_a_template_is_filled_and_prefetched_over_its_values(
    node: tuple[Node, Listener],
) -> None:
    _, listener = node
    listener.publish(
        f"{BASE}/prefetch", json.dumps({"template": "line_stopped", "slots": {"line": [1, 2, 3]}})
    )
    stored = 0
    while stored < 4:  # and the pinned phrase
        stored = int(str((await ask(listener, "cache_stats"))["stored"]))
        await asyncio.sleep(0.02)
    listener.publish(
        f"{BASE}/say",
        json.dumps({"template": "line_stopped", "slots": {"line": 2}, "id": "t", "zone": "yard"}),
    )
    assert (await listener.event("finished", id="t"))["cached"] is True


async def test_several_texts_are_one_announcement(node: tuple[Node, Listener]) -> None:
    _, listener = node
    texts = {"en": "The gate is open.", "en-GB": "Please mind the gate."}
    listener.publish(f"{BASE}/say", json.dumps({"texts": texts, "id": "m", "zone": "yard"}))
    await listener.event("finished", id="m")
    start = (await listener.topic(f"{BASE}/audio/yard/m/start")).json
    assert start["parts"] == 2


async def test_phrases_are_made_at_idle_and_none_is_missing(node: tuple[Node, Listener]) -> None:
    _, listener = node
    phrases = await ask(listener, "phrases")
    while phrases["missing"]:
        await asyncio.sleep(0.02)
        phrases = await ask(listener, "phrases")
    assert phrases["phrases"] == ["Please leave the building."]
    say(listener, "Please leave the building.", id="known", zone="yard")
    assert (await listener.event("finished", id="known"))["cached"] is True


async def test_a_muted_zone_is_silent_but_for_emergencies_and_stays_so_over_a_restart(
    node: tuple[Node, Listener],
) -> None:
    running, listener = node
    listener.publish(f"{BASE}/zone/yard/set/mute", "ON")
    twin = await listener.topic(f"{BASE}/zone/yard/state/mute")
    assert (twin.payload, twin.retain) == (b"ON", False)
    await running.stop()
    running.start()
    await ask(listener, "ping")
    say(listener, "Hello.", id="quiet", zone="yard")
    assert (await listener.event("suppressed", id="quiet"))["reason"] == "muted"
    say(listener, "Fire.", "say/emergency", id="fire", zone="yard")
    await listener.event("finished", id="fire", timeout=20)


async def test_quiet_hours_of_the_whole_day_hold_back_normal(node: tuple[Node, Listener]) -> None:
    _, listener = node
    listener.publish(f"{BASE}/set/quiet_hours", "00:00-23:59")
    await listener.topic(f"{BASE}/state/quiet_hours")
    say(listener, "Hello.", id="quiet", zone="yard")
    assert (await listener.event("suppressed", id="quiet"))["reason"] == "quiet_hours"


async def test_volume_makes_the_clip_quieter(node: tuple[Node, Listener]) -> None:
    _, listener = node
    say(listener, "Hello there.", id="full", zone="yard")
    await listener.event("finished", id="full")
    listener.publish(f"{BASE}/zone/yard/set/volume", "0.5")
    await listener.topic(f"{BASE}/zone/yard/state/volume")
    say(listener, "Hello there.", id="half", zone="yard", volume=0.5)
    await listener.event("finished", id="half")
    full = (await listener.topic(f"{BASE}/audio/yard/full")).payload[44:]
    half = (await listener.topic(f"{BASE}/audio/yard/half")).payload[44:]
    assert _peak(half) == pytest.approx(_peak(full) / 4, rel=0.02)


def _peak(pcm: bytes) -> int:
    return max(abs(value) for value in memoryview(pcm).cast("h"))


async def test_hooks_run_around_speech_and_a_failing_one_silences_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    config = f"""{OUTPUTS}
[zones.hall]
outputs = ["broker"]
[[zones.hall.before]]
argv = ["/bin/sh", "-c", "echo open >> {tmp_path}/hooks"]
[[zones.hall.before]]
argv = ["/bin/false"]
[[zones.hall.before]]
argv = ["/bin/sleep", "60"]
deadline_s = 0.2
[[zones.hall.after]]
topic = "music/restore"
payload = "now"
"""
    async with running_node(broker, tmp_path, config) as (_, listener):
        say(listener, "Hello.", id="a")
        await listener.event("finished", id="a")
        restored = await listener.topic("music/restore")
        assert restored.payload == b"now"
        assert (tmp_path / "hooks").read_text() == "open\n"


async def test_recorded_messages_play_by_name(broker: Broker, tmp_path: Path) -> None:
    recordings = tmp_path / "state" / "recordings"
    recordings.mkdir(parents=True)
    (recordings / "bell.wav").write_bytes(_bell())
    async with running_node(broker, tmp_path) as (_, listener):
        listener.publish(f"{BASE}/say", '{"media": "bell", "text": "Break time.", "id": "b"}')
        await listener.event("finished", id="b")
        await listener.topic(f"{BASE}/audio/default/b/2")


def _bell() -> bytes:
    import io
    import math
    import struct
    import wave

    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as bell:
        bell.setparams((1, 2, 8000, 0, "NONE", ""))
        tone = (int(9000 * math.sin(n / 3)) for n in range(4000))
        bell.writeframes(b"".join(struct.pack("<h", value) for value in tone))
    return buffer.getvalue()


async def test_reload_keeps_the_worker_and_takes_the_new_zones(
    node: tuple[Node, Listener],
) -> None:
    running, listener = node
    running.configure(OUTPUTS)
    await ask(listener, "reload")
    info = await listener.wait(
        lambda heard: heard.topic == f"{BASE}/info" and heard.json["zones"] == ["default"]
    )
    assert info
    say(listener, "Hello.", id="after")
    await listener.event("finished", id="after")


async def test_a_broken_file_keeps_the_old_configuration(node: tuple[Node, Listener]) -> None:
    running, listener = node
    running.config.write_text("[node]\nname = 'box'\nnonsense = 1\n")
    await ask(listener, "reload")
    say(listener, "Hello.", id="after", zone="yard")
    await listener.event("finished", id="after")
    assert "nonsense" in running.log
