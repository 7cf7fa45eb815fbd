"""The sandbox denies no system call that normal work needs."""

import re
import subprocess

import pytest

from tests.system.box import wait_for
from tests.system.node import UNIT, Node

pytestmark = [pytest.mark.system, pytest.mark.timeout(200)]

# mbind is denied by design: an allocator's wish for memory near a processor. futex is never
# filtered: so the kernel itself answers a sound library that tries out FUTEX_UNLOCK_PI.
KNOWN = frozenset({"mbind", "futex"})
CALL = re.compile(r"(\w+)\(.*= -1 EPERM")


def program_of(node: Node) -> str:
    return node.box.shell(f"readlink /proc/{node.main_pid()}/exe || true")


def test_only_known_calls_are_denied_from_start_to_stop(node: Node) -> None:
    if node.box.run("which", "strace", check=False).returncode != 0:
        pytest.skip("needs strace")
    node.box.run("systemctl", "stop", UNIT)
    node.box.run("systemctl", "start", "--no-block", UNIT)
    # Before its exec the process is still systemd's own.
    wait_for(lambda: "python" in program_of(node), 20, "a process")
    trace = node.box.share / "trace"
    command = node.box.command("strace", "-f", "-qq", "-p", str(node.main_pid()), "-Z")
    with trace.open("wb") as file:
        tracer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)
    try:
        wait_for(lambda: node.box.show(UNIT, "ActiveState")["ActiveState"] == "active", 60, "start")
        for form in ("wav", "mp3", "opus"):
            node.end_of(node.say(f"A traced announcement in {form}.", format=form), 60)
        node.box.run("systemctl", "reload", UNIT)
    finally:
        # It ends with the last process that it follows.
        node.box.run("systemctl", "stop", UNIT)
        tracer.wait(20)
    lines = trace.read_text(errors="replace").splitlines()
    assert len(lines) > 100
    denied = [line for line in lines if (found := CALL.search(line)) and found[1] not in KNOWN]
    assert not denied
    node.box.run("systemctl", "start", UNIT)
