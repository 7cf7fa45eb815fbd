"""README as a newcomer uses it: its lines work as printed, and the Chinese one keeps in step."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from cosyedge.cli.app import VERBS
from cosyedge.demo.brokers import RunningBroker, running_broker
from cosyedge.demo.node import running_node
from tests.support.broker import Broker
from tests.support.listener import listen

ROOT = Path(__file__).parents[1]
ENGLISH = (ROOT / "README.md").read_text("utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text("utf-8")
ENDS = {"finished", "partial", "failed", "expired", "cancelled", "suppressed", "rejected"}


def blocks(text: str, language: str = r"\w*") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def links(text: str) -> list[str]:
    return [link for link in re.findall(r"\]\(([^)]+)\)", text) if "README" not in link]


def command_lines(program: str) -> list[list[str]]:
    lines = [line for block in blocks(ENGLISH, "sh") for line in block.splitlines()]
    return [shlex.split(line) for line in lines if line.startswith(f"{program} ")]


def test_chinese_readme_has_the_same_headings() -> None:
    def levels(text: str) -> list[str]:
        return re.findall(r"^(#+) ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)

    assert levels(CHINESE) == levels(ENGLISH)


def test_chinese_readme_has_the_same_commands_and_links() -> None:
    assert blocks(CHINESE) == blocks(ENGLISH)
    assert links(CHINESE) == links(ENGLISH)
    assert len(blocks(ENGLISH)) >= 5


@pytest.mark.parametrize("link", sorted(set(links(ENGLISH))))
def test_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_verbs_and_make_targets_exist() -> None:
    prose = re.sub(r"```.*?```", "", ENGLISH, flags=re.DOTALL)
    verbs = set(re.findall(r"`cosyedge ([a-z]+)\b[^`]*`", prose))
    assert verbs
    assert verbs <= set(VERBS)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", ENGLISH, re.MULTILINE))
    assert named
    assert named <= targets


def test_it_says_what_must_be_said() -> None:
    assert "not a life-safety system" in ENGLISH
    assert "random weights" in ENGLISH
    assert "不是生命安全系统" in CHINESE
    assert "随机权重" in CHINESE


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    with running_broker(tmp_path, "mosquitto") as running:
        yield running


def environ_of(broker: RunningBroker) -> dict[str, str]:
    return {
        "COSYEDGE_MQTT__HOST": broker.host,
        "COSYEDGE_MQTT__PORT": str(broker.port),
        "COSYEDGE_NODE__NAME": "readme",
        "COSYEDGE_OUTPUTS__FAST__KIND": "mqtt",
        "COSYEDGE_OUTPUTS__FAST__PACE": "none",
    }


def home_assistant_message(block: str) -> tuple[str, str]:
    """What the automation publishes; its template is filled in as Jinja would."""
    (action,) = yaml.safe_load(block)["actions"]
    payload = action["data"]["payload"]
    if "{{" in payload:
        text = "It is 21.5 degrees outside."
        payload = json.dumps({"text": text, "ttl": 60, "coalesce_key": "temperature"})
    return action["data"]["topic"], payload


async def test_printed_messages_are_spoken(broker: RunningBroker, tmp_path: Path) -> None:
    published = [line[1:] for line in command_lines("mosquitto_pub")]
    automations = [home_assistant_message(block) for block in blocks(ENGLISH, "yaml")]
    published += [["-t", topic, "-m", payload] for topic, payload in automations]
    here: Broker = broker  # type: ignore[assignment]
    async with listen(here) as listener:
        with running_node(tmp_path, environ_of(broker)):
            await listener.topic("cosyedge/readme/availability", timeout=60)
            for words in published:
                # The default class of service is 0, and a line that works as printed loses none.
                subprocess.run(
                    ["mosquitto_pub", "-h", broker.host, "-p", str(broker.port), *words],
                    check=True,
                    timeout=20,
                )
            heard = await listener.wait(
                lambda heard: heard.topic.endswith("/event") and heard.json["event_type"] in ENDS,
                count=len(published),
                timeout=60,
            )
    ends = [event.json for event in heard]
    assert {event["event_type"] for event in ends} == {"finished"}, ends


async def test_announce_as_printed_follows_to_the_end(
    broker: RunningBroker, tmp_path: Path
) -> None:
    here: Broker = broker  # type: ignore[assignment]
    verbs = {line[1]: line for line in command_lines("~/cosyedge/bin/cosyedge")}
    line = verbs["announce"]
    environ = environ_of(broker)
    async with listen(here) as listener:
        with running_node(tmp_path, environ):
            await listener.topic("cosyedge/readme/availability", timeout=60)
            ended = subprocess.run(
                [sys.executable, "-m", "cosyedge", *line[1:], "--node", "readme"],
                env=environ,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
    assert ended.returncode == 0, ended.stderr
    assert "finished" in ended.stdout
