"""The report of ``doctor --bundle``: what helps with a bug, without secrets, names or texts."""

import datetime
import json
import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from cosyedge.cli.findings import Finding
from cosyedge.config import Settings
from cosyedge.core.errors import StorageFailure

PACKAGES = (
    "cosyedge", "hibari-tts", "numpy", "onnxruntime", "paho-mqtt", "pydantic",
    "pydantic-settings", "psutil", "soundfile", "soxr", "systemd-python", "typer",
)  # fmt: skip
# Whatever names a person, a place, a network or a text.
REDACTED = frozenset(
    {"host", "username", "client_id", "password_file", "password_credential", "text", "lexicon",
     "templates", "slots", "argv", "payload", "topic", "device"}
)  # fmt: skip


def write_bundle(path: Path, settings: Settings, findings: Sequence[Finding]) -> None:
    """Write one JSON file, readable by us alone. Raises StorageFailure."""
    report = {
        "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "system": {
            "kernel": platform.release(),
            "machine": platform.machine(),
            "python": platform.python_version(),
            "libc": " ".join(platform.libc_ver()),
            "os": _os_name(),
        },
        "packages": {name: _version(name) for name in PACKAGES},
        "settings": redacted(settings.model_dump(mode="json", by_alias=True)),
        "findings": [_anonymous(finding, settings) for finding in findings],
    }
    text = json.dumps(report, indent=1, ensure_ascii=False).replace(str(Path.home()), "~")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise StorageFailure("disk", f"{path}: {error.strerror}") from error


def redacted(value: Any, key: str = "") -> Any:
    """Replace what REDACTED names by its kind; keep the shape."""
    # [text] is a section, and text a sentence.
    is_section = key == "text" and isinstance(value, dict)
    is_told = value in (None, "", [], {}) or isinstance(value, bool)
    if key in REDACTED and not is_section and not is_told:
        return f"<{type(value).__name__}>"
    if isinstance(value, dict):
        return {name: redacted(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [redacted(inner, key) for inner in value]
    return value


def _anonymous(finding: Finding, settings: Settings) -> dict[str, str]:
    """Leave the broker's name and our user name out of a finding's words."""
    private = {settings.mqtt.host: "<host>"}
    if settings.mqtt.username:
        private[settings.mqtt.username] = "<username>"
    told = finding.as_dict()
    for name, word in private.items():
        told = {key: value.replace(name, word) for key, value in told.items()}
    return told


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
