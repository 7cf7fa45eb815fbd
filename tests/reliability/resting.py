"""What an idle daemon and its workers write."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.reliability.speaking import children_of
from tests.support.broker import Broker
from tests.support.node import running_node

DAY_S = 86_400.0
PROMISED_BYTES = 1_000_000


def written_bytes(pid: int) -> int:
    """What the process caused to be written to a disk, by the kernel's account (proc(5), io)."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["write_bytes"])


@dataclass(frozen=True, slots=True)
class Rest:
    """Bytes written by each process in ``seconds``."""

    seconds: float
    by_process: Mapping[str, int]

    @property
    def total_bytes(self) -> int:
        """Of all processes."""
        return sum(self.by_process.values())

    @property
    def a_day_bytes(self) -> float:
        """The same rate for a day."""
        return self.total_bytes * DAY_S / self.seconds


async def rest(folder: Path, config: str, seconds: float) -> Rest:
    """Start a node, let it settle, and leave it alone for so long."""
    with Broker() as broker:
        async with running_node(broker, folder, config) as (node, _):
            # The worker gives its memory back and the journal is closed to a steady state.
            await asyncio.sleep(3)
            pids = [node.pid, *sorted(children_of(node.pid))]
            before = _written(pids)
            await asyncio.sleep(seconds)
            after = _written(pids)
    names = ["daemon", *(f"worker {number}" for number in range(1, len(pids)))]
    return Rest(seconds, {n: a - b for n, a, b in zip(names, after, before, strict=True)})


def _written(pids: Iterable[int]) -> list[int]:
    return [written_bytes(pid) for pid in pids]
