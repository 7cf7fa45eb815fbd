"""A machine of its own for the system tests: a real systemd as PID 1 of fresh namespaces.

Its root is an overlay of this machine's, thrown away at the end; it has no network but its
own loopback, and sees no process of the host. Needs root, overlayfs and cgroups.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

# What a machine without hardware, logins or network cannot use.
MASKED = """
    dev-hugepages.mount dev-mqueue.mount e2scrub_reap.service proc-sys-fs-binfmt_misc.automount
    sys-fs-fuse-connections.mount sys-kernel-config.mount sys-kernel-debug.mount
    sys-kernel-tracing.mount systemd-binfmt.service systemd-logind.service
    systemd-machine-id-commit.service systemd-modules-load.service systemd-networkd.service
    systemd-pstore.service systemd-random-seed.service systemd-remount-fs.service
    systemd-resolved.service systemd-sysctl.service systemd-timesyncd.service
    systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket
    systemd-udevd.service systemd-update-utmp.service
"""
PROGRAMS = ("unshare", "nsenter", "mount", "systemctl", "mosquitto", "mosquitto_sub", "openssl")
TARGET = "[Unit]\nRequires=basic.target\nAfter=basic.target\nAllowIsolate=yes\n"
JOURNALD = "[Journal]\nStorage=volatile\nRateLimitBurst=0\n"


def why_not() -> str | None:
    """The reason why no box can be made here, or None."""
    if os.geteuid() != 0:
        return "needs root"
    paths = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    for program in PROGRAMS:
        if shutil.which(program, path=paths) is None:
            return f"needs {program}"
    if not Path("/lib/systemd/systemd").exists():
        return "needs systemd"
    if "overlay" not in Path("/proc/filesystems").read_text():
        return "needs overlayfs"
    if not os.access("/sys/fs/cgroup", os.W_OK) or not hierarchies():
        return "needs cgroups that can be written"
    return None


def hierarchies() -> list[tuple[Path, Path]]:
    """Each cgroup hierarchy of this machine with the group of this process in it."""
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        mixed = Path("/sys/fs/cgroup/unified").is_dir()
        name = controllers.removeprefix("name=") or ("unified" if mixed else "")
        mounted = Path("/sys/fs/cgroup") / name
        if (mounted / path.strip("/") / "cgroup.procs").exists():
            found.append((mounted, mounted / path.strip("/")))
    return found


def wait_for(condition: Callable[[], object], deadline_s: float, what: str) -> None:
    """Return once the condition holds; fail loudly if it does not in time."""
    end = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {deadline_s} s")
        time.sleep(0.05)


class Box:
    """A running machine; ``share`` appears inside it as /run/host."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.share = base / "share"
        self._groups: list[Path] = []
        self._outer: subprocess.Popen[bytes] | None = None
        self._leader = 0

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self._start()
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()

    def run(
        self, *words: str | Path, check: bool = True, timeout_s: float = 100.0, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside; a failure shows its output."""
        done = subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=timeout_s, input=text
        )
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def command(self, *words: str | Path, options: Sequence[str] = ()) -> Sequence[str]:
        """The command line that runs ``words`` inside.

        With the option --no-fork a signal reaches them, but they stay out of the box's
        process namespace.
        """
        clean = ("env", "-i", "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        enter = ("nsenter", "-t", str(self._leader), "-a", *options)
        return (*enter, *clean, *map(str, words))

    def shell(self, script: str, *, check: bool = True) -> str:
        """Run a shell script inside and return what it prints."""
        return self.run("bash", "-euc", script, check=check).stdout

    def write(self, path: str, content: str, mode: int = 0o644) -> None:
        """Write a file inside."""
        self.run("install", "-D", "-m", f"{mode:o}", "/dev/stdin", path, text=content)

    def show(self, unit: str, *names: str) -> dict[str, str]:
        """Properties of a unit."""
        lines = self.run("systemctl", "show", "-p", ",".join(names), unit).stdout.splitlines()
        return dict(line.split("=", 1) for line in lines)

    def down(self) -> None:
        """Power off in an orderly way, then remove all that is left."""
        if self._leader:
            os.kill(self._leader, signal.SIGRTMIN + 4)
        if self._outer is not None:
            try:
                self._outer.wait(15)
            except subprocess.TimeoutExpired:
                os.kill(self._leader or self._outer.pid, signal.SIGKILL)
                self._outer.wait(15)
        self._leader = 0
        for group in self._groups:
            # The kernel frees cgroups a moment after the last task is gone.
            wait_for(lambda group=group: _removed(group), 10, f"removal of {group}")
        shutil.rmtree(self.base, ignore_errors=True)

    def _prepare(self) -> None:
        for name in ("prepared", "layers", "root", "share"):
            (self.base / name).mkdir(parents=True)
        self.base.chmod(0o755)
        (self.base / "console").touch()
        etc = self.base / "prepared/etc/systemd"
        (etc / "system").mkdir(parents=True)
        (etc / "journald.conf.d").mkdir()
        (etc / "journald.conf.d/box.conf").write_text(JOURNALD)
        (etc / "system/box.target").write_text(TARGET)
        for unit in MASKED.split():
            (etc / "system" / unit).symlink_to("/dev/null")
        own = hierarchies()
        (self.base / "hierarchies").write_text("".join(f"{top}\n" for top, _ in own))
        for _, parent in own:
            group = parent / f"cosyedge-box-{os.getpid()}"
            group.mkdir()
            self._groups.append(group)
            for knob in ("cpuset.cpus", "cpuset.mems"):
                if (group / knob).exists() and (parent / knob).exists():
                    (group / knob).write_text((parent / knob).read_text())

    def _start(self) -> None:
        spaces = ("--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--fork")
        python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
        boot = Path(__file__).with_name("boot.py")
        join = 'for g in "${@:4}"; do echo $$ > "$g/cgroup.procs"; done; '
        script = join + f'exec unshare {" ".join(spaces)} "$1" "$2" "$3"'
        with (self.base / "console").open("wb") as console:
            self._outer = subprocess.Popen(
                ["bash", "-ec", script, "box", python, boot, self.base, *self._groups],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        wait_for(self._booted, 30, "boot")

    def _booted(self) -> bool:
        assert self._outer is not None
        if self._outer.poll() is not None:
            raise AssertionError(f"no boot: {(self.base / 'console').read_text()}")
        children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children")
        self._leader = int((children.read_text().split() or ["0"])[0])
        if not self._leader or Path(f"/proc/{self._leader}/comm").read_text() != "systemd\n":
            return False
        state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
        return state in ("running", "degraded")


def _removed(group: Path) -> bool:
    try:
        for folder in sorted(group.rglob("*/"), reverse=True):
            folder.rmdir()
        group.rmdir()
    except OSError:
        return not group.exists()
    return True
