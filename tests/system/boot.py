"""Become PID 1 of fresh namespaces: build a root over an overlay, then start systemd in it.

Run by tests/system/box.py as ``unshare ... python boot.py DIRECTORY``; nothing is imported
that does not come with Python.
"""

import ctypes
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

ENOUGH_BYTES = 6 << 30
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}
MODES = {"dev": "755", "dev/shm": "1777", "run": "755", "tmp": "1777", "sys/fs/cgroup": "755"}


def mount(kind: str, target: Path, *options: str, source: str = "none") -> None:
    subprocess.run(["mount", "-t", kind, *options, source, str(target)], check=True)


def available_bytes() -> int:
    """The memory that this machine has to spare."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("MemAvailable:")]
    return int(line.split()[1]) * 1024


def mount_root(base: Path, root: Path) -> None:
    """An overlay of the real root; what is written stays in memory where there is enough.

    (Some disks take 15 s to delete an installed release.)
    """
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    layers = base / "layers"
    if available_bytes() > ENOUGH_BYTES:
        mount("tmpfs", layers, "-o", "mode=755,size=80%")
    shutil.copytree(base / "prepared", layers / "upper", symlinks=True)
    (layers / "work").mkdir()
    options = f"lowerdir=/,upperdir={layers / 'upper'},workdir={layers / 'work'}"
    mount("overlay", root, "-o", options)
    mount("proc", root / "proc")
    mount("sysfs", root / "sys", "-o", "ro")
    for name, mode in MODES.items():
        (root / name).mkdir(exist_ok=True)
        mount("tmpfs", root / name, "-o", f"mode={mode}")


def mount_cgroups(base: Path, root: Path) -> None:
    """The hierarchies that the host has; the namespace shows ours as their root."""
    for line in (base / "hierarchies").read_text().splitlines():
        name = Path(line).name
        target = root / "sys/fs/cgroup" / ("" if name == "cgroup" else name)
        target.mkdir(exist_ok=True)
        if name in ("cgroup", "unified"):
            mount("cgroup2", target)
        elif name == "systemd":
            mount("cgroup", target, "-o", "none,name=systemd")
        else:
            mount("cgroup", target, "-o", name)


def make_devices(root: Path) -> None:
    for name, (major, minor) in DEVICES.items():
        os.mknod(root / "dev" / name, 0o666 | stat.S_IFCHR, os.makedev(major, minor))
        (root / "dev" / name).chmod(0o666)
    for name, target in {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1"}.items():
        (root / "dev" / name).symlink_to(target)
    (root / "dev/stderr").symlink_to("fd/2")
    (root / "dev/pts").mkdir()
    mount("devpts", root / "dev/pts", "-o", "newinstance,ptmxmode=0666,mode=620,gid=5")
    (root / "dev/ptmx").symlink_to("pts/ptmx")


def bind(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    subprocess.run(["mount", "--bind", str(source), str(target)], check=True)


def pivot(root: Path) -> None:
    """Make ``root`` the root; shared mounts, or credentials come out empty."""
    (root / "mnt").mkdir(exist_ok=True)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.pivot_root(str(root).encode(), str(root / "mnt").encode()) != 0:
        raise OSError(ctypes.get_errno(), "pivot_root")
    os.chdir("/")
    subprocess.run(["umount", "-l", "/mnt"], check=True)
    subprocess.run(["mount", "--make-rshared", "/"], check=True)


def main() -> None:
    base = Path(sys.argv[1])
    root = base / "root"
    mount_root(base, root)
    mount_cgroups(base, root)
    make_devices(root)
    bind(base / "console", root / "dev/console")
    bind(base / "share", root / "run/host")
    pivot(root)
    environ = {"container": "cosyedge-test", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    words = ["--log-target=journal", "--show-status=no", "--unit=box.target"]
    os.execve("/lib/systemd/systemd", ["systemd", *words], environ)


main()
