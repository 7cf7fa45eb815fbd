"""``python -m cosyedge.demo [TEXT]``: text in, speech out, over a real broker; writes demo.wav."""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cosyedge.adapters.encoding import encode
from cosyedge.adapters.mqtt.settings import MqttSettings
from cosyedge.adapters.mqtt.visit import Visitor, visiting
from cosyedge.core.errors import CosyedgeError, OutputFailure
from cosyedge.demo.brokers import Kind, RunningBroker, running_broker
from cosyedge.demo.hearing import Hearing
from cosyedge.demo.node import Node, running_node
from cosyedge.demo.speech_check import speech_fault
from cosyedge.service.ports import Outgoing
from cosyedge.wire.topics import Filter, Topics

DEFAULT_TEXT = "The washing machine is done. It is 21.5 degrees outside."
TOPICS = Topics("cosyedge", "demo")
ONLINE_DEADLINE_S = 30.0
END_DEADLINE_S = 60.0


def main(words: list[str] | None = None) -> int:
    """Run the demonstration; 0 only if the WAV holds speech."""
    parser = argparse.ArgumentParser(prog="cosyedge.demo", description=__doc__)
    parser.add_argument("text", nargs="?", default=DEFAULT_TEXT)
    parser.add_argument("--output", type=Path, default=Path("demo.wav"))
    parser.add_argument("--broker", choices=["auto", "mosquitto", "iotcore"], default="auto")
    given = parser.parse_args(words)
    console = Console(highlight=False)
    try:
        hearings = asyncio.run(demonstrate(given.text, given.broker, console))
        return _report(hearings, given.text, given.output, console)
    except (CosyedgeError, OSError) as error:
        sys.stderr.write(f"cosyedge: the demonstration failed: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130


async def demonstrate(text: str, kind: Kind, console: Console) -> list[Hearing]:
    """Say ``text`` twice through a broker and a daemon of our own."""
    with (
        tempfile.TemporaryDirectory(prefix="cosyedge-demo-") as name,
        running_broker(Path(name), kind) as broker,
    ):
        console.print(f"broker    {broker.name} on {broker.host}:{broker.port}")
        async with visiting(_visitor(broker)) as visitor:
            await visitor.subscribe([Filter(TOPICS.of("#"), 1)])
            environ = {
                "COSYEDGE_MQTT__HOST": broker.host,
                "COSYEDGE_MQTT__PORT": str(broker.port),
                "COSYEDGE_NODE__NAME": TOPICS.node,
            }
            began_at = time.monotonic()
            with running_node(Path(name), environ) as node:
                await _wait_until_warm(visitor, node)
                took_s = time.monotonic() - began_at
                console.print(
                    f"daemon    online after {took_s:.1f} s (cosyedge run, pid {node.pid})"
                )
                console.print(f"announce  {text}", markup=False)
                return [await _announce(visitor, node, f"demo-{turn}", text) for turn in (1, 2)]


def _visitor(broker: RunningBroker) -> MqttSettings:
    return MqttSettings(broker.host, broker.port, "demo", canary_topic="")


async def _wait_until_warm(visitor: Visitor, node: Node) -> None:
    """Return once the node is online and its worker has spoken a test into nothing."""
    try:
        async with asyncio.timeout(ONLINE_DEADLINE_S):
            async for message in visitor.messages():
                node.check()
                if message.topic == TOPICS.of("availability") and message.payload == b"online":
                    await visitor.publish(Outgoing(TOPICS.of("request/selftest"), b"{}"))
                if message.topic == TOPICS.response("selftest"):
                    return
    except TimeoutError as error:
        node.check()
        raise OutputFailure(
            "engine_unavailable", f"the daemon is not ready in time: {node.last_words()}"
        ) from error


async def _announce(visitor: Visitor, node: Node, id: str, text: str) -> Hearing:
    payload = json.dumps({"id": id, "text": text}, ensure_ascii=False).encode()
    hearing = Hearing(id, time.monotonic())
    await visitor.publish(Outgoing(TOPICS.of("say"), payload))
    try:
        async with asyncio.timeout(END_DEADLINE_S):
            async for message in visitor.messages():
                if hearing.hear(message, time.monotonic()):
                    break
    except TimeoutError as error:
        raise OutputFailure(
            "engine_unavailable", f"no end of the announcement: {node.last_words()}"
        ) from error
    return hearing


def _report(hearings: list[Hearing], text: str, output: Path, console: Console) -> int:
    table = Table(box=None, pad_edge=False)
    for heading in ("", "accepted", "first audio", "finished", "end"):
        table.add_column(heading, justify="left" if heading in ("", "end") else "right")
    for name, hearing in zip(("uncached", "cached"), hearings, strict=True):
        moments = (hearing.accepted_at, hearing.first_audio_at, hearing.ended_at)
        table.add_row(name, *(_ms(hearing, moment) for moment in moments), hearing.outcome)
    console.print(table)
    speech = hearings[0].speech()
    output.write_bytes(encode(speech, "wav"))
    faults = [speech_fault(hearing.speech(), text) for hearing in hearings]
    faults += [None if h.end["event_type"] == "finished" else h.outcome for h in hearings]
    fault = next(filter(None, faults), None)
    if fault is not None:
        sys.stderr.write(f"cosyedge: the demonstration failed: {fault}\n")
        return 1
    console.print(f"{output}  {speech.duration_s:.2f} s of speech at {speech.rate_hz} Hz")
    return 0


def _ms(hearing: Hearing, moment: float | None) -> str:
    return "never" if moment is None else f"{(moment - hearing.sent_at) * 1000:.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
