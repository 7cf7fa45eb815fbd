"""The queue of a real node: how soon an urgent one sounds, and whether every order is right.

Each zone has a player of its own, a paced reader of raw PCM at the far end of the adapter's
short pipe. Times run from the publish to the first sample that the player has read.
"""

import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from cosyedge.bench import paced_player
from cosyedge.bench.announce import ENDS, percentile
from cosyedge.bench.client import MeasuringClient
from cosyedge.bench.queue_simulation import run
from cosyedge.core.errors import OutputFailure
from cosyedge.demo.brokers import running_broker
from cosyedge.demo.node import running_node
from cosyedge.wire.topics import Topics

TOPICS = Topics("cosyedge", "bench")
ZONES = ("hall", "yard", "office", "dock")
BUSY = "busy"
NORMAL = "This is read aloud for as long as nothing more important wants to be heard. " * 3
URGENT = "Go."
ENVIRON = {
    "COSYEDGE_NODE__NAME": TOPICS.node,
    "COSYEDGE_LIMITS__RATE_PER_S": "100000",
    "COSYEDGE_LIMITS__RATE_BURST": "100000",
    "COSYEDGE_OUTPUTS__NOTHING__KIND": "null",
    f"COSYEDGE_ZONES__{BUSY.upper()}__OUTPUTS": '["nothing"]',
}


@dataclass(frozen=True, slots=True)
class Runs:
    """How often each is done."""

    urgent: int = 200
    emergency: int = 8
    simulated: int = 10_000


DEFAULT = Runs()


@dataclass(slots=True)
class Ear:
    """Hears of each player's first sample: zone by zone, in seconds of the monotonic clock."""

    reports: socket.socket
    first_samples: dict[str, list[float]] = field(default_factory=dict)

    def listen(self) -> None:
        """Take what was reported, without waiting."""
        while True:
            try:
                zone, at = self.reports.recv(256).decode("ascii").split()
            except BlockingIOError:
                return
            self.first_samples.setdefault(zone, []).append(float(at))

    def count(self, zone: str) -> int:
        """How many players began in ``zone``."""
        self.listen()
        return len(self.first_samples.get(zone, ()))


def measure(runs: Runs = DEFAULT) -> dict[str, float]:
    """Run the whole bench (about 45 s) and give its figures by their names."""
    simulation = run(runs.simulated)
    with _stage() as (client, ear):
        urgent = _measure_urgent(client, ear, runs.urgent)
        extras = _measure_emergencies(client, ear, runs.emergency)
    return {
        "priority_p50_ms": median(urgent),
        "priority_p99_ms": percentile(urgent, 99),
        "emergency_uncached_extra_ms": max(extras),
        "emergency_uncached_extra_p50_ms": median(extras),
        "order_errors": float(simulation.order_errors),
        "sim_per_s": simulation.sim_per_s,
    }


@contextmanager
def _stage() -> Iterator[tuple[MeasuringClient, Ear]]:
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cosyedge-bench-")))
        broker = stack.enter_context(running_broker(directory, "mosquitto"))
        reports = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        reports.bind(str(directory / "reports"))
        reports.setblocking(False)
        environ = ENVIRON | {
            "COSYEDGE_MQTT__HOST": broker.host,
            "COSYEDGE_MQTT__PORT": str(broker.port),
        }
        for zone in ZONES:
            environ |= _zone(zone, directory / "reports")
        online, answered = TOPICS.of("availability"), TOPICS.response("selftest")
        client = stack.enter_context(
            MeasuringClient(broker.host, broker.port, online, answered, TOPICS.of("event"))
        )
        node = stack.enter_context(running_node(directory, environ))
        client.run_until(lambda: client.payload(online) == b"online", 30)
        client.publish(TOPICS.of("request/selftest"), {})
        client.run_until(lambda: client.payload(answered) is not None, 30)
        node.check()
        yield client, Ear(reports)


def _zone(zone: str, reports: Path) -> dict[str, str]:
    """A zone and its player, as environment variables."""
    name = zone.upper()
    words = [sys.executable, "-I", "-S", paced_player.__file__, str(reports), zone, "{rate}"]
    quoted = ", ".join(f'"{word}"' for word in words)
    return {
        f"COSYEDGE_OUTPUTS__{name}__KIND": "player",
        f"COSYEDGE_OUTPUTS__{name}__ARGV": f"[{quoted}]",
        f"COSYEDGE_ZONES__{name}__OUTPUTS": f'["{zone}"]',
    }


def _measure_urgent(client: MeasuringClient, ear: Ear, count: int) -> list[float]:
    """Cut a normal one again and again, in all zones in turns; it goes on after each.

    A zone's players begin in turns too: the normal one, an urgent one (which is cancelled once it
    sounds, to save time), the normal one again.
    """
    _say(client, "warm", BUSY, URGENT, speed=2)
    client.run_until(lambda: _end_of(client, "warm") is not None, 20)
    for zone in ZONES:
        _say(client, f"normal-{zone}", zone, NORMAL, repeat=10, ttl=600)
    sent_at: dict[str, list[float]] = {zone: [] for zone in ZONES}
    skipped: dict[str, list[int]] = {zone: [] for zone in ZONES}

    def step() -> bool:
        for zone, sent in sent_at.items():
            begun = ear.count(zone)
            if begun == 2 * len(sent) and begun > 2 * len(skipped[zone]):
                skipped[zone].append(begun)
                _cancel(client, f"urgent-{zone}-{len(sent)}", "cancel/urgent")
            if begun == 2 * len(sent) + 1 and sum(map(len, sent_at.values())) < count:
                sent.append(time.monotonic())
                id = f"urgent-{zone}-{len(sent)}"
                _say(client, id, zone, URGENT, "say/urgent", speed=2)
        return all(ear.count(zone) > 2 * len(sent) for zone, sent in sent_at.items())

    client.run_until(step, 60)
    client.publish(TOPICS.of("cancel"), b"all")
    return [
        1000 * (heard - sent)
        for zone, times in sent_at.items()
        for sent, heard in zip(times, ear.first_samples[zone][1::2], strict=False)
    ]


def _measure_emergencies(client: MeasuringClient, ear: Ear, count: int) -> list[float]:
    """Take what an uncached emergency needs beyond its own synthesis while the worker is busy.

    In every second run a normal one plays in its zone and must be cut.
    """
    extras = []
    for number in range(count):
        zone = ZONES[number % len(ZONES)]
        for place in range(6):
            _say(client, f"load-{number}-{place}", BUSY, f"{number} {place}. {NORMAL}", ttl=60)
        if number % 2:
            begun = ear.count(zone)
            _say(client, f"under-{number}", zone, NORMAL, resume="drop")
            client.run_until(lambda: ear.count(zone) > begun, 20)  # noqa: B023
        extras.append(_one_emergency(client, ear, zone, number))
    return extras


def _one_emergency(client: MeasuringClient, ear: Ear, zone: str, number: int) -> float:
    id, begun = f"emergency-{number}", ear.count(zone)
    sent_at = time.monotonic()
    _say(client, id, zone, f"Fire alarm in building {number}.", "say/emergency")
    client.run_until(lambda: ear.count(zone) > begun, 20)
    _cancel(client, id, "cancel/emergency")
    client.run_until(lambda: _end_of(client, id) is not None, 20)
    event = _end_of(client, id)
    if event is None or event["cached"]:
        raise OutputFailure("internal", f"not what was to be measured: {event}")
    synthesis_ms: float = event["timings"]["synth_ms"]
    return 1000 * (ear.first_samples[zone][begun] - sent_at) - synthesis_ms


def _say(
    client: MeasuringClient, id: str, zone: str, text: str, path: str = "say", **keys: object
) -> None:
    client.publish(TOPICS.of(path), {"id": id, "zone": zone, "text": text} | keys)


def _cancel(client: MeasuringClient, id: str, path: str) -> None:
    client.publish(TOPICS.of(path), {"id": id})


def _end_of(client: MeasuringClient, id: str) -> dict[str, Any] | None:
    events = reversed(client.events)
    return next((e for e in events if e.get("id") == id and e["event_type"] in ENDS), None)
