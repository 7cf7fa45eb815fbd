"""doctor's look at the box: directories, memory, processors, clock, packages, unit."""

import datetime
import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from cosyedge.adapters.procstat import box_memory, usable_processors
from cosyedge.cli.findings import Finding, bad, ok, warning
from cosyedge.config import Settings, mqtt_password

MIB = 1 << 20
FREE_DISK_MB = 64
# The daemon and its caches beside the worker; measured, see docs/benchmarks.md.
SUPERVISOR_MB = 80
OLDEST_SANE_YEAR = 2024
ONNXRUNTIME_FLOOR = (1, 24, 1)
GPU_PACKAGES = ("onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino")
TELEMETRY = Path(".cache/Microsoft")


def check_box(settings: Settings) -> Iterator[Finding]:
    """Yield the findings; blocks for some milliseconds."""
    yield from _directories(settings)
    yield _memory(settings)
    yield _processors(settings)
    yield _clock()
    yield from _packages()
    yield _telemetry()
    yield _credentials(settings)
    yield from _unit()


def _directories(settings: Settings) -> Iterator[Finding]:
    for key, path in (("state", settings.paths.state_dir), ("cache", settings.paths.cache_dir)):
        about = f"{key} directory"
        existing = next(each for each in (path, *path.parents) if each.exists())
        if not os.access(existing, os.W_OK | os.X_OK):
            yield bad(
                about,
                f"{existing} is not writable",
                f"chown it to the user, or set paths.{key}_dir",
            )
            continue
        free_mb = shutil.disk_usage(existing).free // MIB
        if free_mb < FREE_DISK_MB:
            yield bad(about, f"{path}: {free_mb} MB free", "free the disk")
        else:
            yield ok(about, f"{path}, writable, {free_mb} MB free")


def _memory(settings: Settings) -> Finding:
    box = box_memory()
    total_mb, available_mb = box.total_bytes // MIB, box.available_bytes // MIB
    need_mb = settings.engine.memory_cap_mb + settings.cache.memory_mb + SUPERVISOR_MB
    fact = f"{total_mb} MB, {available_mb} MB available; cosyedge may take {need_mb} MB"
    if need_mb > total_mb:
        return bad("memory", fact, "lower engine.memory_cap_mb, or take a smaller voice")
    if need_mb > available_mb:
        return warning("memory", fact, "close something, or lower engine.memory_cap_mb")
    return ok("memory", fact)


def _processors(settings: Settings) -> Finding:
    allowed, present = usable_processors(), os.cpu_count() or 1
    fact = f"{present} processors, {allowed:g} usable, engine.threads = {settings.engine.threads}"
    if settings.engine.threads > allowed:
        return warning("threads", fact, "engine.threads above the quota only slows down; set 0")
    return ok("threads", fact)


def _clock() -> Finding:
    now = datetime.datetime.now().astimezone()
    if now.year < OLDEST_SANE_YEAR:
        return bad("clock", f"it says {now:%Y-%m-%d}", "set the time: schedules and TLS need it")
    answer = _first_line("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if answer == "no":
        return warning(
            "clock", f"{now:%Y-%m-%d %H:%M %Z}, not synchronized", "timedatectl set-ntp true"
        )
    how = "synchronized" if answer == "yes" else "nobody tells whether it is synchronized"
    return ok("clock", f"{now:%Y-%m-%d %H:%M %Z}, {how}")


def _packages() -> Iterator[Finding]:
    installed = {
        name.lower() for each in metadata.distributions() if (name := each.metadata["Name"])
    }
    gpu = sorted(name for name in installed if name in GPU_PACKAGES or name.startswith("nvidia-"))
    version = metadata.version("onnxruntime") if "onnxruntime" in installed else ""
    if not version:
        yield bad("onnxruntime", "not installed", "pip install onnxruntime")
    elif tuple(int(part) for part in version.split(".")[:3]) < ONNXRUNTIME_FLOOR:
        yield bad("onnxruntime", f"{version} is too old to be safe", "pip install -U onnxruntime")
    else:
        yield ok("onnxruntime", f"{version}, CPU build")
    if gpu:
        yield warning("GPU packages", ", ".join(gpu), f"pip uninstall {' '.join(gpu)}")
    else:
        yield ok("GPU packages", "none")


def _telemetry() -> Finding:
    folder = Path.home() / TELEMETRY
    if folder.exists():
        mend = "another program may have left it; set ORT_DISABLE_TELEMETRY=1 there, remove it"
        return warning("telemetry", f"{folder} exists", mend)
    return ok("telemetry", "off: every process of cosyedge sets ORT_DISABLE_TELEMETRY=1")


def _credentials(settings: Settings) -> Finding:
    mqtt = settings.mqtt
    secret = mqtt_password(mqtt)
    if mqtt.username is not None and secret is None:
        mend = "set mqtt.password_file, or give the unit LoadCredential=mqtt_password:..."
        return warning("credentials", "mqtt.username is set, and there is no password", mend)
    if secret is not None and not mqtt.tls.enabled and not mqtt.host.startswith("127."):
        return warning("credentials", "the password crosses the network in clear", "set mqtt.tls")
    return ok("credentials", "a password, readable by us alone" if secret else "none needed")


def _unit() -> Iterator[Finding]:
    if not Path("/run/systemd/system").is_dir():
        yield ok("unit", "systemd does not run this box")
        return
    answer = _lines("systemctl", "show", "cosyedge", "-p", "LoadState,ActiveState,NRestarts,Result")
    facts = dict(line.split("=", 1) for line in answer if "=" in line)
    if facts.get("LoadState") != "loaded":
        yield ok("unit", "not installed as a service")
        return
    told = f"{facts.get('ActiveState')}, {facts.get('NRestarts')} restarts, {facts.get('Result')}"
    if facts.get("ActiveState") == "active":
        yield ok("unit", told)
    else:
        yield bad("unit", told, "systemctl status cosyedge; journalctl -x -u cosyedge")


def _first_line(*argv: str) -> str:
    return next(iter(_lines(*argv)), "")


def _lines(*argv: str) -> list[str]:
    try:
        ended = subprocess.run(argv, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return ended.stdout.splitlines()
