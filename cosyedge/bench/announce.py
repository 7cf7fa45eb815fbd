"""The speed and memory of a real node: mosquitto, `cosyedge run` and this client on one box.

Only MQTT is used, as a user would: nothing of the daemon is imported or patched.
"""

import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cosyedge.adapters.procstat import cpu_s, rss_bytes
from cosyedge.bench.client import MeasuringClient
from cosyedge.core.errors import OutputFailure
from cosyedge.demo.brokers import RunningBroker, running_broker
from cosyedge.demo.node import Node, running_node
from cosyedge.wire.topics import Topics

TOPICS = Topics("cosyedge", "bench")
SHORT = "The front door opened."
LONG = f"{SHORT} The kitchen window is open. It will rain in an hour. Please close it."
MB = 1e6
# A burst of 1,000 needs more than mosquitto's 1,000 queued messages, and more than our 100.
BROKER = ("max_queued_messages 0", "max_inflight_messages 0")
ENVIRON = {
    "COSYEDGE_NODE__NAME": TOPICS.node,
    "COSYEDGE_LIMITS__RATE_PER_S": "100000",
    "COSYEDGE_LIMITS__RATE_BURST": "100000",
    "COSYEDGE_QUEUE__MAX_ITEMS": "10000",
    "COSYEDGE_QUEUE__MAX_BYTES": "100000000",
    "COSYEDGE_QUEUE__BURST_MAX": "10000",
    "COSYEDGE_MQTT__RECEIVE_MAXIMUM": "200",
    "COSYEDGE_OUTPUTS__FAST__KIND": "mqtt",
    "COSYEDGE_OUTPUTS__FAST__PACE": "none",
}
ENDS = {"finished", "partial", "failed", "expired", "cancelled", "suppressed", "rejected"}


@dataclass(frozen=True, slots=True)
class Runs:
    """How often each is done, and how long the idle node is watched."""

    cached: int = 1000
    uncached: int = 150
    long: int = 20
    burst: int = 1000
    idle_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A broker and a warm node, with how long the node took to be online and warm."""

    broker: RunningBroker
    node: Node
    ready_s: float


DEFAULT = Runs()


def measure(runs: Runs = DEFAULT) -> dict[str, float]:
    """Run the whole bench (about 40 s) and give its figures by their names."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cosyedge-bench-")))
        broker = stack.enter_context(running_broker(directory, "mosquitto", BROKER))
        # The first one warms the page cache; each has an empty phrase cache of its own, so that
        # its self test needs the worker.
        for name in ("first", "second"):
            (directory / name).mkdir()
        with _node(broker, directory / "first"):
            pass
        stage = stack.enter_context(_node(broker, directory / "second"))
        idle = _measure_idle(stage, runs.idle_s)
        watched = (TOPICS.of("event"), TOPICS.of("audio/#"), "echo/answer/#")
        with MeasuringClient(broker.host, broker.port, *watched) as client:
            figures = _measure_latencies(client, broker, runs)
        with MeasuringClient(broker.host, broker.port, TOPICS.of("event")) as client:
            figures |= _measure_burst(client, stage, runs.burst)
        worker = max(rss_bytes(pid) for pid in _workers(stage.node.pid))
        return figures | idle | {"worker_rss_mb": worker / MB, "ready_s": stage.ready_s}


@contextmanager
def _node(broker: RunningBroker, directory: Path) -> Iterator[Stage]:
    """Start a node; it is ready once it is online and has spoken a test into nothing."""
    reach = {"COSYEDGE_MQTT__HOST": broker.host, "COSYEDGE_MQTT__PORT": str(broker.port)}
    online, answered = TOPICS.of("availability"), TOPICS.response("selftest")
    with MeasuringClient(broker.host, broker.port, online, answered) as client:
        began = time.perf_counter()
        with running_node(directory, ENVIRON | reach) as node:
            client.run_until(lambda: _is_alive(node) and client.payload(online) == b"online", 30)
            client.publish(TOPICS.of("request/selftest"), {})
            client.run_until(lambda: client.payload(answered) is not None, 30)
            yield Stage(broker, node, time.perf_counter() - began)


def _is_alive(node: Node) -> bool:
    node.check()
    return True


def _measure_idle(stage: Stage, watched_s: float) -> dict[str, float]:
    pids = [stage.node.pid, *_workers(stage.node.pid)]
    before_s = sum(cpu_s(pid) for pid in pids)
    time.sleep(watched_s)
    used_s = sum(cpu_s(pid) for pid in pids) - before_s
    return {
        "supervisor_rss_mb": rss_bytes(stage.node.pid) / MB,
        "idle_cpu_percent": 100 * used_s / watched_s,
    }


def _measure_latencies(
    client: MeasuringClient, broker: RunningBroker, runs: Runs
) -> dict[str, float]:
    uncached = [_first_audio_ms(client, f"u{n}", SHORT, "bypass") for n in range(runs.uncached)]
    # In turns, so that whatever else the box does falls on both.
    pairs = [
        [_first_audio_ms(client, f"p{len(text)}-{n}", text, "bypass") for text in (SHORT, LONG)]
        for n in range(runs.long)
    ]
    first, long = zip(*pairs, strict=True)
    _first_audio_ms(client, "warm", SHORT, "use")
    cached = [_first_audio_ms(client, f"c{n}", SHORT, "use") for n in range(runs.cached)]
    clip = client.payload(TOPICS.audio("default", f"c{runs.cached - 1}")) or b""
    echo = _measure_echo(client, broker, len(clip), runs.cached)
    return {
        "cached_p50_ms": statistics.median(cached),
        "cached_p99_ms": percentile(cached, 99),
        "echo_p50_ms": statistics.median(echo),
        "echo_ratio": statistics.median(cached) / statistics.median(echo),
        "uncached_p50_ms": statistics.median(uncached),
        "uncached_p99_ms": percentile(uncached, 99),
        "long_first_audio_ratio": statistics.median(long) / statistics.median(first),
        "clip_bytes": float(len(clip)),
    }


def _first_audio_ms(client: MeasuringClient, id: str, text: str, cache: str) -> float:
    """Time from the publish to the first audio's arrival; returns once it has ended."""
    whole, first = TOPICS.audio("default", id), TOPICS.audio("default", id, 1)
    seen = len(client.events)
    sent_at = time.perf_counter()
    client.publish(TOPICS.of("say"), {"id": id, "text": text, "cache": cache})
    client.run_until(_ended(client, id, seen), 20)
    heard_at = client.first_at.get(whole) or client.first_at.get(first)
    if heard_at is None:
        raise OutputFailure("broker_unavailable", f"no audio: {client.events[-1]}")
    return (heard_at - sent_at) * 1000


def _ended(client: MeasuringClient, id: str, seen: int) -> Callable[[], bool]:
    def reached() -> bool:
        return any(
            event.get("id") == id and event["event_type"] in ENDS for event in client.events[seen:]
        )

    return reached


def _measure_echo(
    client: MeasuringClient, broker: RunningBroker, size: int, count: int
) -> list[float]:
    words = (broker.host, str(broker.port), "echo/say", "echo/answer", str(size))
    with subprocess.Popen([sys.executable, "-m", "cosyedge.bench.echo", *words]) as process:
        try:
            client.run_until(lambda: "echo/answer/ready" in client.first_at, 10)
            return [_echo_ms(client, str(n)) for n in range(count)]
        finally:
            process.terminate()


def _echo_ms(client: MeasuringClient, id: str) -> float:
    sent_at = time.perf_counter()
    client.publish("echo/say", id.encode())
    client.run_until(lambda: f"echo/answer/{id}" in client.first_at, 10)
    return (client.first_at[f"echo/answer/{id}"] - sent_at) * 1000


def _measure_burst(client: MeasuringClient, stage: Stage, count: int) -> dict[str, float]:
    before = rss_bytes(stage.node.pid)
    ids = {f"b{n}" for n in range(count)}
    began = time.perf_counter()
    for id in ids:
        client.publish(TOPICS.of("say"), {"id": id, "text": SHORT})
    finished: set[str] = set()
    read = 0

    def reached() -> bool:
        nonlocal read
        news, read = client.events[read:], len(client.events)
        finished.update(event["id"] for event in news if event["event_type"] == "finished")
        return finished >= ids

    try:
        client.run_until(reached, 10)
    except OutputFailure:
        reached()  # what is missing counts as lost
    took_s = time.perf_counter() - began
    return {
        "burst_per_s": len(finished) / took_s,
        "burst_lost": float(count - len(finished)),
        "burst_rss_growth_mb": (rss_bytes(stage.node.pid) - before) / MB,
    }


def _workers(supervisor: int) -> list[int]:
    """The pids of the node's workers."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text("ascii").split()
    return [pid for pid in map(int, children) if b"cosyedge.worker" in _command_line(pid)]


def _command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that ``percent`` of all do not exceed (nearest rank)."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]
