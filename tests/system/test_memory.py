"""Memory in the service: an engine over its cap or the kernel's is replaced, the daemon lives."""

import pytest

from tests.system.box import wait_for
from tests.system.node import UNIT, Node

pytestmark = [pytest.mark.system, pytest.mark.timeout(200)]


def test_kernel_takes_the_worker_and_not_the_supervisor(node: Node) -> None:
    node.speaks()
    before, workers = node.main_pid(), node.worker_pids()
    group = node.box.shell(f"cut -d: -f3 /proc/{before}/cgroup | tail -1").strip()
    assert group.endswith("cosyedge.service")
    scores = {
        pid: int(node.box.run("cat", f"/proc/{pid}/oom_score_adj").stdout)
        for pid in (before, *workers)
    }
    assert all(scores[worker] > scores[before] for worker in workers)
    node.box.run("systemctl", "set-property", "--runtime", UNIT, "MemoryMax=110M", check=False)
    text = " ".join(f"Sentence {n} which takes the memory of the engine." for n in range(4))
    id = node.say(text)
    end = node.end_of(id, 60)
    node.box.run("systemctl", "set-property", "--runtime", UNIT, "MemoryMax=1536M")
    assert node.main_pid() == before, node.status()
    assert end["event_type"] in ("finished", "partial", "failed")
    assert node.speaks()["event_type"] == "finished"


def test_worker_is_not_dumped_and_nobody_reads_its_memory(node: Node) -> None:
    node.speaks()
    for pid in (node.main_pid(), *node.worker_pids()):
        limits = node.box.run("cat", f"/proc/{pid}/limits").stdout
        (line,) = [line for line in limits.splitlines() if line.startswith("Max core")]
        assert line.split()[4:6] == ["0", "0"]
    wait_for(lambda: not node.box.shell("ls /var/lib/systemd/coredump 2>/dev/null || true"), 5, "")


def test_engine_over_its_own_cap_is_told_and_recovers(node: Node) -> None:
    node.speaks()
    before = node.main_pid()
    node.drop_in("cap", "[Service]\nEnvironment=COSYEDGE_ENGINE__MEMORY_CAP_MB=64\n")
    node.box.run("systemctl", "restart", UNIT)
    assert node.main_pid() != before
    end = node.end_of(node.say("This needs more memory than there is."), 60)
    assert end.get("degraded") or end["reason"] == "out_of_memory", end
    node.drop_in("cap", "")
    node.box.run("systemctl", "restart", UNIT)
    assert node.speaks()["event_type"] == "finished"


def test_worker_that_grows_is_replaced_between_two_sentences(node: Node) -> None:
    node.drop_in("recycle", "[Service]\nEnvironment=COSYEDGE_ENGINE__RECYCLE_MB=100\n")
    node.box.run("systemctl", "restart", UNIT)
    node.speaks()
    wait_for(node.worker_pids, 30, "a worker")
    before = node.worker_pids()
    end = node.end_of(node.say("One sentence that is new. Another one that is new, too."), 60)
    assert end["event_type"] == "finished"
    assert not end.get("degraded")
    wait_for(lambda: (now := node.worker_pids()) and now != before, 30, "another worker")
    node.drop_in("recycle", "")
    node.box.run("systemctl", "restart", UNIT)
    assert node.speaks()["event_type"] == "finished"
