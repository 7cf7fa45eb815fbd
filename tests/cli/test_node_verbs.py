"""The verbs that speak to a running node: announce, phrases, doctor."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyedge.demo.node import running_node
from cosyedge.wire.events import EventMessage
from tests.cli.conftest import Command, only_line
from tests.support.broker import Broker
from tests.support.listener import listen

NODE = "verbs"
PHRASE = "The shift begins."
DOCUMENTED = {field.alias or name for name, field in EventMessage.model_fields.items()}
TORN = """
engine = "hibari"
rate_hz = 24000
languages = ["en"]
licence = "Apache-2.0"

[[files]]
role = "model"
path = "gone.onnx"
sha256 = "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8"
size_bytes = 7936868
"""


@pytest.fixture
def environ(broker: Broker) -> dict[str, str]:
    return {
        "COSYEDGE_MQTT__HOST": broker.host,
        "COSYEDGE_MQTT__PORT": str(broker.port),
        "COSYEDGE_NODE__NAME": NODE,
    }


@pytest.fixture
async def node(broker: Broker, environ: dict[str, str], tmp_path: Path) -> "Iterator[None]":
    own = {
        "COSYEDGE_OUTPUTS__FAST__KIND": "null",
        "COSYEDGE_PHRASES": json.dumps([{"text": PHRASE}]),
    }
    async with listen(broker) as listener:
        with running_node(tmp_path, environ | own):
            await listener.topic(f"cosyedge/{NODE}/availability", timeout=60)
            yield


def test_announcement_is_followed_to_its_end(
    node: None, environ: dict[str, str], cosyedge: Command
) -> None:
    ended = cosyedge("announce", "--class", "high", "--json", "The front door opened.", **environ)
    assert ended.returncode == 0, ended.stderr
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [event["event_type"] for event in events] == ["accepted", "started", "finished"]
    assert {event["class"] for event in events} == {"high"}
    assert len({event["id"] for event in events}) == 1


def test_refused_announcement_is_shown_and_fails(
    node: None, environ: dict[str, str], cosyedge: Command
) -> None:
    ended = cosyedge("announce", "...", **environ)
    assert (ended.returncode, ended.stderr) == (1, "")
    (line,) = ended.stdout.splitlines()
    assert "rejected" in line
    assert "nothing_speakable" in line
    unknown = cosyedge("announce", "--zone", "attic", "hello", **environ)
    assert unknown.returncode == 1
    assert "unknown_zone" in unknown.stdout


async def test_what_was_heard_instead_of_the_words_is_shown(
    broker: Broker, environ: dict[str, str], cosyedge: Command, tmp_path: Path
) -> None:
    voice = tmp_path / "state" / "voices" / "torn"
    voice.mkdir(parents=True)
    (voice / "manifest.toml").write_text(TORN, encoding="utf-8")
    own = {"COSYEDGE_ENGINE__VOICE": "torn", "COSYEDGE_OUTPUTS__FAST__KIND": "null"}
    async with listen(broker) as listener:
        with running_node(tmp_path, environ | own):
            await listener.topic(f"cosyedge/{NODE}/availability", timeout=60)
            shown = cosyedge("announce", "hello", **environ)
            told = cosyedge("announce", "--json", "hello again", **environ)
    assert "degraded attention_tone (model_missing)" in shown.stdout
    events = [json.loads(line) for line in told.stdout.splitlines()]
    assert not set().union(*events) - DOCUMENTED


async def test_every_key_of_an_event_is_documented(
    node: None, broker: Broker, environ: dict[str, str]
) -> None:
    async with listen(broker) as listener:
        say = f"cosyedge/{NODE}/say"
        listener.publish(say, json.dumps({"text": 5}))
        listener.publish(say, json.dumps({"text": "Twice.", "id": "twice", "repeat": 2}))
        listener.publish(say, json.dumps({"text": "Heard?", "id": "heard", "until_ack": True}))
        listener.publish(f"cosyedge/{NODE}/request/ack", json.dumps({"id": "heard"}))
        await listener.event("rejected")
        await listener.event("finished", id="twice")
        await listener.event("finished", id="heard")
        events = [heard.json for heard in listener.heard if heard.topic.endswith("/event")]
    keys = set().union(*events)
    assert {"topic", "field", "rounds", "acknowledged"} <= keys
    assert not keys - DOCUMENTED


def test_phrases_are_pinned_at_idle_and_listed(
    node: None, environ: dict[str, str], cosyedge: Command
) -> None:
    # Saying it waits for the same synthesis that pins it.
    assert cosyedge("announce", PHRASE, **environ).returncode == 0
    ended = cosyedge("phrases", "--json", **environ)
    assert (ended.returncode, json.loads(ended.stdout)) == (
        0,
        {"phrases": [PHRASE], "missing": []},
    )
    assert cosyedge("phrases", **environ).stdout == f"pinned   {PHRASE}\n"


def test_doctor_sees_the_running_node(
    node: None, environ: dict[str, str], cosyedge: Command
) -> None:
    findings = json.loads(cosyedge("doctor", "--json", **environ).stdout)
    (finding,) = (each for each in findings if each["about"] == f"node {NODE}")
    assert finding["fact"].startswith("running; 1 pinned phrases")


def test_silent_node_is_told_in_one_line(environ: dict[str, str], cosyedge: Command) -> None:
    line = only_line(cosyedge("announce", "hello", **environ), 1)
    assert line == f"node {NODE} says nothing about it: is it running, under this name, here?"
    assert "does not answer" in only_line(cosyedge("phrases", **environ), 1)


@pytest.mark.parametrize(
    "words",
    [
        ["--class", "loud"],
        ["--zone", "Küche"],
        ["--zone", "#"],
        ["--node", "+"],
        ["--port", "99999"],
    ],
)
def test_target_that_cannot_be_is_a_usage_error(words: list[str], cosyedge: Command) -> None:
    only_line(cosyedge("announce", *words, "hello"), 2)


@pytest.mark.parametrize("text", ["", "  "])
def test_empty_text_is_a_usage_error(text: str, cosyedge: Command) -> None:
    assert "the text is empty" in only_line(cosyedge("announce", text), 2)


def test_broker_that_is_not_there_is_one_line(
    broker: Broker, environ: dict[str, str], cosyedge: Command
) -> None:
    broker.stop()
    line = only_line(cosyedge("announce", "hello", **environ), 1)
    assert f"the broker at {broker.host}:{broker.port}" in line
