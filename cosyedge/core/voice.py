"""A voice's manifest: where its files come from, what they must be, and what it can speak."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cosyedge.core.errors import SettingsError

NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class VoiceFile:
    """One file of a voice; ``path`` is relative to the voice's folder or to its package."""

    role: str
    path: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice as its manifest.toml describes it; pure data, no file has been opened.

    ``digest`` names the voice's content: it is part of every cache key.
    ``max_chars`` bounds one sentence by language, in characters.
    ``settings`` is the engine's own section, opaque to everybody else.
    """

    name: str
    engine: str
    digest: str
    rate_hz: int
    languages: tuple[str, ...]
    licence: str
    files: tuple[VoiceFile, ...]
    package: str | None = None
    package_version: str | None = None
    speakers: tuple[str, ...] = ()
    default_speaker: str | None = None
    reads_numbers: bool = False
    takes_phonemes: bool = False
    gain_db: float = 0.0
    max_chars: Mapping[str, int] = field(default_factory=dict)
    first_sound_s: float = 10.0
    real_time_factor: float = 1.0
    settings: Mapping[str, Any] = field(default_factory=dict)


def parse_manifest(name: str, document: Mapping[str, Any], digest: str) -> Voice:
    """Read a parsed manifest.toml; ``digest`` is the sha256 of the manifest's bytes.

    Raises SettingsError("model_invalid") naming the key that is missing or wrong.
    """
    if not NAME.fullmatch(name) or name.startswith("."):
        raise SettingsError("model_invalid", f"a voice cannot be called {name!r}", field="name")
    known = {
        "engine": _take(document, "engine", str),
        "rate_hz": _take(document, "rate_hz", int),
        "languages": tuple(_take(document, "languages", list)),
        "licence": _take(document, "licence", str),
    }
    source = _take(document, "source", dict)
    optional: dict[str, type | tuple[type, ...]] = {
        "default_speaker": str,
        "reads_numbers": bool,
        "takes_phonemes": bool,
        "gain_db": (int, float),
        "max_chars": dict,
        "first_sound_s": (int, float),
        "real_time_factor": (int, float),
        "settings": dict,
    }
    extra = {key: _take(document, key, kind) for key, kind in optional.items() if key in document}
    return Voice(
        name=name,
        digest=digest,
        files=tuple(_file(entry) for entry in _take(document, "files", list)),
        package=source.get("package"),
        package_version=source.get("version"),
        speakers=tuple(document.get("speakers", ())),
        **known,
        **extra,
    )


def _take(document: Mapping[str, Any], key: str, kind: type | tuple[type, ...]) -> Any:
    value = document.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise SettingsError("model_invalid", f"manifest: {key} is missing or wrong", field=key)
    return value


def _file(entry: Mapping[str, Any]) -> VoiceFile:
    path = _take(entry, "path", str)
    sha256 = _take(entry, "sha256", str)
    if path.startswith("/") or ".." in path.split("/"):
        raise SettingsError("model_invalid", f"manifest: {path} leaves the folder", field="path")
    if not SHA256.fullmatch(sha256):
        raise SettingsError("model_invalid", f"manifest: sha256 of {path} is wrong", field="sha256")
    return VoiceFile(_take(entry, "role", str), path, sha256, _take(entry, "size_bytes", int))
