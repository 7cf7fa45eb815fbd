"""R13: hostile input is refused by name; it kills, blocks and smuggles nothing."""

import random
from pathlib import Path

from tests import fuzz
from tests.reliability.conftest import MakeNode
from tests.reliability.speaking import end_of, say, until
from tests.support.broker import Broker
from tests.support.listener import listen
from tests.support.node import BASE, OUTPUTS, ask, online, voice_ready

ESCAPES = ("\x1b[2J", "\x07", "\x9b31m", "\u202e")


def test_r13_20_000_payloads_are_parsed_or_refused() -> None:
    outcomes, longest_s = fuzz.run(20_000, seed=13)
    assert outcomes.total() == 20_000
    assert len(outcomes) >= 8
    assert longest_s < 1.0


async def test_r13_a_daemon_under_nonsense_speaks_on_and_writes_nothing_raw(
    broker: Broker, make_node: MakeNode, tmp_path: Path
) -> None:
    node = make_node(f"{OUTPUTS}\n[limits]\nrate_per_s = 10000\nrate_burst = 10000\n")
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        await voice_ready(listener)
        chance = random.Random(13)
        topics = ("say", "cancel", "prefetch", "chime", "set/volume", "request/ping", "pause")
        for number in range(400):
            payload = fuzz.nonsense(chance)
            if payload:
                listener.publish(f"{BASE}/{topics[number % len(topics)]}", payload)
        for escape in ESCAPES:
            say(listener, f"a{escape}b", voice=escape, id=escape)
            listener.publish(f"{BASE}/say", f'{{"text": 3, "{escape}": "../../etc/x"}}')
        listener.publish(f"{BASE}/resume")
        await ask(listener, "ping")
        listener.publish(f"{BASE}/cancel", "all")
        say(listener, "Still here.", id="after")
        assert (await end_of(listener, "after", 90))["event_type"] == "finished"
    assert not [escape for escape in ESCAPES if escape in node.log]
    assert {path.name for path in node.folder.iterdir()} <= {
        "cosyedge.toml",
        "log",
        "state",
        "cache",
    }
    await until(lambda: "Traceback" not in node.log, 1)


async def test_r13_large_texts_leave_the_loop_to_others(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(OUTPUTS)
    marks = "e" + "\u0301" * 7_000
    async with listen(broker) as listener:
        node.start()
        await online(listener)
        await voice_ready(listener)
        for number, text in enumerate((marks, "1234567890 " * 1_400, "[" * 16_000, "漢" * 5_000)):
            say(listener, text, id=f"large{number}")
        answered = await ask(listener, "ping")
        assert answered is not None
        say(listener, "Still here.", id="after")
        assert (await end_of(listener, "after", 60))["event_type"] == "finished"
