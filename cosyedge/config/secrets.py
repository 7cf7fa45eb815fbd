"""Secrets, which come from files or systemd credentials and from nowhere else."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cosyedge.config.mqtt import MqttSettings
from cosyedge.core.errors import SettingsError

_MAX_BYTES = 4096
_USERINFO = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/\s@]*:[^/\s@]*@")


def mqtt_password(mqtt: MqttSettings, environ: Mapping[str, str] = os.environ) -> str | None:
    """Read the broker's password: password_file, else the credential; None where neither is.

    Raises SettingsError, never with the secret in its message.
    """
    if mqtt.password_file is not None:
        return _read(mqtt.password_file, "mqtt.password_file")
    directory = environ.get("CREDENTIALS_DIRECTORY")
    if not directory:
        return None
    credential = Path(directory) / mqtt.password_credential
    return _read(credential, "mqtt.password_credential") if credential.exists() else None


def check_private(path: Path, key: str) -> None:
    """Raise SettingsError where everybody on the box can read the file."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise SettingsError(
            "settings", f"{key}: {path} cannot be read: {error.strerror}", field=key
        ) from error
    if mode & stat.S_IROTH:
        raise SettingsError(
            "settings", f"{key}: everybody can read {path}; chmod o-r it", field=key
        )


def refuse_passwords_in_addresses(document: Mapping[str, Any], source: str) -> None:
    """Raise SettingsError for any `scheme://user:password@` in the values of ``document``."""
    for key, value in _strings(document, ""):
        if _USERINFO.search(value):
            raise SettingsError(
                "settings",
                f"{source}: {key}: a password in an address is refused; use mqtt.password_file",
                field=key,
            )


def _strings(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _strings(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _strings(inner, f"{key}.{index}")


def _read(path: Path, key: str) -> str:
    check_private(path, key)
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        secret = raw.decode().removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            "settings", f"{key}: {path} cannot be read as text", field=key
        ) from error
    if not secret or len(raw) > _MAX_BYTES:
        raise SettingsError("settings", f"{key}: {path} holds no usable secret", field=key)
    return secret
