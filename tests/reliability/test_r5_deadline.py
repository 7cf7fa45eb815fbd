"""R5: a synthesis that fails or never ends costs a retry, and what comes next is heard in 5 s."""

import logging
from pathlib import Path

import pytest

from tests.reliability.conftest import MakeNode
from tests.reliability.failing_worker import FAILURES
from tests.reliability.speaking import end_of, ends_of, say, worker_of
from tests.support.broker import Broker
from tests.support.listener import Listener, listen
from tests.support.node import BASE, start_speaking

log = logging.getLogger(__name__)

#: max(5 s, 3 x expected) of a short text.
DEADLINE_S = 5.0
NEXT_WITHIN_S = 5.0
NEVER_END = {"freeze", "dream", "trance"}
#: The worker that did it goes on: only its sentence was lost.
HARMLESS = {"memory", "noise", "flood", "dream"}


def first_sample_at(listener: Listener, id: str) -> float:
    """The monotonic time at which ``started`` was heard."""
    return next(
        heard.at
        for heard in listener.heard
        if heard.topic == f"{BASE}/event"
        and (heard.json["event_type"], heard.json.get("id")) == ("started", id)
    )


@pytest.mark.parametrize(
    ("how", "times"),
    [*((how, 1) for how in FAILURES), ("kill", 2), ("freeze", 2), ("noise", 2)],
)
async def test_r5_a_failed_synthesis_is_retried_once_and_the_next_is_heard_within_5_s(
    broker: Broker, make_node: MakeNode, tmp_path: Path, how: str, times: int
) -> None:
    (tmp_path / "times").write_text(str(times))
    node = make_node()
    node.program = ("-m", "tests.reliability.launcher", "worker", str(tmp_path))
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        before = await worker_of(node)
        say(listener, f"Failure by {how}.", id="hit")
        say(listener, "The next one is here.", id="next")
        hit, following = await end_of(listener, "hit", 60), await end_of(listener, "next", 60)
        assert ends_of(listener, "hit") == ["finished"]
        assert hit.get("degraded") == (None if times == 1 else "attention_tone")
        assert (following["event_type"], following.get("degraded")) == ("finished", None)
        failed_at = [float(line) for line in (tmp_path / how).read_text().splitlines()]
        assert len(failed_at) == times
        ended_at = failed_at[-1] + (DEADLINE_S if how in NEVER_END else 0.0)
        assert first_sample_at(listener, "hit") >= ended_at
        next_after_s = first_sample_at(listener, "next") - ended_at
        log.info("%s: the next was heard after %.2f s", how, next_after_s)
        assert next_after_s < NEXT_WITHIN_S
        assert (await worker_of(node) == before) is (how in HARMLESS)


async def test_r9_a_worker_that_lives_and_makes_no_speech_is_a_fault_until_it_does(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    (tmp_path / "times").write_text("4")
    node = make_node()
    node.program = ("-m", "tests.reliability.launcher", "worker", str(tmp_path))
    async with listen(broker) as listener:
        await start_speaking(node, listener)
        say(listener, "Failure by noise.", id="first")
        say(listener, "Another failure by noise.", id="second")
        for id in ("first", "second"):
            assert (await end_of(listener, id, 60))["degraded"] == "attention_tone"
        assert (await listener.event("fault_raised", timeout=30))["reason"] == "bad_audio"
        say(listener, "The next one is here.", id="next")
        assert "degraded" not in await end_of(listener, "next", 60)
        await listener.event("fault_cleared", timeout=30)
