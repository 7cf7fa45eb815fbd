"""The installed node in its box, seen by clients of its broker."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tests.system.box import Box, wait_for

UNIT = "cosyedge.service"
TLS = ("-h", "localhost", "-p", "8883", "--cafile", "/etc/cosyedge/ca.crt")
ENDS = frozenset({"finished", "partial", "failed", "expired", "cancelled", "suppressed"})


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that the watcher received."""

    topic: str
    payload: bytes


class Node:
    """Commands to the node, and what it published since the watcher began."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._ids = count(1)
        self._heard = box.share / "heard"
        self._watcher: subprocess.Popen[bytes]

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Write down every message below cosyedge/ while this lasts."""
        self._heard.touch()
        self._watch()
        try:
            yield
        finally:
            self._watcher.terminate()
            self._watcher.wait(10)

    def _watch(self) -> None:
        words = ("mosquitto_sub", *TLS, *self._user("homeassistant"), "-q", "1", "-i", "watcher")
        words += ("-c", "-t", "cosyedge/#", "-F", "%t %x")
        command = self.box.command(*words, options=["--no-fork"])
        with self._heard.open("ab") as file:
            self._watcher = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)

    def heard(self, topic: str = "") -> list[Heard]:
        """What came on topics that begin so."""
        if self._watcher.poll() is not None:
            # It ends when the broker is stopped within a TLS record; its session waits for it.
            self._watch()
        lines = self._heard.read_text().splitlines(keepends=True)
        whole = [line.rstrip("\n") for line in lines if line.endswith("\n")]
        parts = [line.partition(" ") for line in whole]
        return [Heard(name, bytes.fromhex(raw)) for name, _, raw in parts if name.startswith(topic)]

    def events(self, id: str) -> list[dict[str, Any]]:
        """The events of one announcement, in their order."""
        told = [json.loads(message.payload) for message in self.heard("cosyedge/hall/event")]
        return [event for event in told if event.get("id") == id]

    def say(
        self, text: str, topic: str = "say", *, user: str = "homeassistant", **keys: Any
    ) -> str:
        """Publish an announcement; returns its id."""
        id = f"sys-{next(self._ids)}-{time.monotonic_ns()}"
        self.publish(topic, json.dumps({"id": id, "text": text, **keys}), user=user)
        return id

    def publish(self, topic: str, payload: str, *, user: str = "homeassistant") -> None:
        words = ("mosquitto_pub", *TLS, *self._user(user), "-V", "5", "-q", "1")
        self.box.run(*words, "-t", f"cosyedge/hall/{topic}", "-m", payload, check=False)

    def end_of(self, id: str, deadline_s: float = 40.0) -> dict[str, Any]:
        """Wait for the terminal event of an id."""
        wait_for(lambda: self._ends(id), deadline_s, f"end of {id}: {self.events(id)}")
        (end,) = self._ends(id)
        return end

    def wait_event(self, id: str, kind: str, deadline_s: float = 40.0) -> dict[str, Any]:
        """Wait for an event of a kind."""
        return self._first(
            lambda: [e for e in self.events(id) if e["event_type"] == kind], deadline_s
        )

    def speaks(self, deadline_s: float = 60.0) -> dict[str, Any]:
        """Say something until it is finished: the whole way works."""
        deadline = time.monotonic() + deadline_s
        while True:
            end = self._end_before(self.say("All is well."), deadline)
            if end is not None and end["event_type"] == "finished":
                return end
            assert time.monotonic() < deadline, f"{end}\n{self.status()}"

    def _end_before(self, id: str, deadline: float) -> dict[str, Any] | None:
        # A publish is lost while the broker is away: it is said again after some seconds.
        until = min(deadline, time.monotonic() + 8)
        while time.monotonic() < until and not self._ends(id):
            time.sleep(0.05)
        return next(iter(self._ends(id)), None)

    def main_pid(self) -> int:
        """The supervisor's process id inside the box."""
        return int(self.box.show(UNIT, "MainPID")["MainPID"])

    def worker_pids(self) -> list[int]:
        """The workers' process ids inside the box."""
        found = self.box.shell("pgrep -u cosyedge -f cosyedge.worker || true")
        return [int(pid) for pid in found.split()]

    def status(self) -> str:
        """For people: what systemd and the log say."""
        return self.box.shell(f"systemctl status {UNIT} --no-pager -n 30 || true")

    def log(self, *words: str) -> list[dict[str, str]]:
        """Entries of systemd's journal."""
        self.box.run("journalctl", "--sync")
        told = self.box.run("journalctl", "-o", "json", "--all", "--no-pager", *words).stdout
        return [json.loads(line) for line in told.splitlines()]

    def drop_in(self, name: str, content: str) -> None:
        """Change the unit (an empty text: change it back)."""
        path = f"/etc/systemd/system/{UNIT}.d/{name}.conf"
        if content:
            self.box.write(path, content)
        else:
            self.box.run("rm", "-f", path)
        self.box.run("systemctl", "daemon-reload")

    def _ends(self, id: str) -> list[dict[str, Any]]:
        return [event for event in self.events(id) if event["event_type"] in ENDS]

    def _first(self, find: Any, deadline_s: float) -> dict[str, Any]:
        wait_for(find, deadline_s, "event")
        found: dict[str, Any] = find()[0]
        return found

    def _user(self, name: str) -> tuple[str, ...]:
        path = Path(f"/root/{name}.password")
        secret = self.box.run("cat", path).stdout.strip()
        return ("-u", name, "-P", secret)
