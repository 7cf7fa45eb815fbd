"""R4 and the rate: a flood is answered message by message, and nothing grows with it."""

import json
from pathlib import Path

import pytest

from cosyedge.core.token_bucket import TokenBuckets
from cosyedge.service.floods import SUMMARY_S, Floods
from tests.reliability.conftest import MakeNode
from tests.reliability.floods import flood
from tests.reliability.speaking import end_of, say
from tests.support.broker import Broker
from tests.support.listener import Heard, listen
from tests.support.node import BASE, OUTPUTS, start_speaking


async def test_r4_2000_messages_at_once_are_each_rejected_or_ended(tmp_path: Path) -> None:
    told = await flood(tmp_path, 2000)
    assert told.accepted + told.rejected == told.sent
    assert told.ended == told.accepted
    assert told.rss_rise_bytes < 20e6
    assert told.taken_per_s > 100


async def test_a_topic_over_its_rate_is_refused_and_emergencies_are_not(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(f"{OUTPUTS}\n[limits]\nrate_per_s = 0.001\nrate_burst = 3\n")
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        for number in range(6):
            say(listener, "Yes.", id=f"n{number}")
            say(listener, "Fire.", topic="say/emergency", id=f"e{number}")
        refused = await listener.wait(_is_rate_limited, count=3)
        assert [heard.json.get("id") for heard in refused] == ["n3", "n4", "n5"]
        for id in ("n0", "n1", "n2", *(f"e{number}" for number in range(6))):
            assert (await end_of(listener, id))["event_type"] == "finished"
        say(listener, "Go.", topic="zone/default/say", id="other")
        await end_of(listener, "other")
    assert "rate_limited" not in node.log


def _is_rate_limited(heard: Heard) -> bool:
    return heard.topic == f"{BASE}/event" and json.loads(heard.payload).get("reason") == (
        "rate_limited"
    )


def test_tokens_come_back_at_their_rate() -> None:
    buckets = TokenBuckets(5.0, 100)
    assert sum(buckets.take("say", 0.0) for _ in range(200)) == 100
    assert sum(buckets.take("say", 1.0) for _ in range(200)) == 5
    assert sum(buckets.take("other", 1.0) for _ in range(200)) == 100
    assert sum(buckets.take("say", 1_000.0) for _ in range(200)) == 100


class Seconds:
    """Time that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_flood_is_one_line_and_comes_without_a_further_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = Seconds()
    floods = Floods(now)
    assert floods.due_in_s() is None
    assert not floods.count("not_json")
    for _ in range(500):
        assert floods.count("rate_limited")
    floods.count("queue_full")
    floods.sum_up()
    assert not caplog.records
    assert floods.due_in_s() == SUMMARY_S
    now.now = SUMMARY_S
    floods.sum_up()
    floods.sum_up()
    assert [r.getMessage() for r in caplog.records] == [
        "messages refused: 500 rate_limited, 1 queue_full"
    ]
    assert floods.due_in_s() is None
