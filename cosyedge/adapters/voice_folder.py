"""Find the voices on this box: folders with a manifest.toml, in the order that they are searched.

Nothing of a voice is loaded or imported here; its files are verified by the engine that opens them.
"""

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from cosyedge.core.errors import CosyedgeError, EngineFailure, SettingsError
from cosyedge.core.voice import Voice, parse_manifest

MANIFEST = "manifest.toml"
_MOST_MANIFEST_BYTES = 1 << 20
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class FoundVoice:
    """A voice, and the folder that its files' paths start from."""

    voice: Voice
    folder: Path
    manifest: Path


@dataclass(frozen=True, slots=True)
class Shelf:
    """What was found: voices by name, and by name why one of them cannot speak."""

    voices: Mapping[str, FoundVoice]
    faults: Mapping[str, CosyedgeError]


def search_order(state_dir: Path) -> tuple[Path, ...]:
    """Return the folders of voices; the first that has a name wins."""
    return (state_dir / "voices", Path("/etc/cosyedge/voices"), packaged_voices())


def packaged_voices() -> Path:
    """Return the folder of the voices that come with cosyedge."""
    installed = _PACKAGE / "data" / "models"
    return installed if installed.is_dir() else _PACKAGE.parent / "models"


def find_voices(folders: Iterable[Path]) -> Shelf:
    """Read all manifests. Never raises: a broken one is a fault, and hides no other folder's.

    A voice whose package is missing is found too, so that announcements are still accepted.
    """
    voices: dict[str, FoundVoice] = {}
    faults: dict[str, CosyedgeError] = {}
    for manifest in _manifests(folders):
        name = manifest.parent.name
        if name in voices:
            continue
        try:
            voice = read_manifest(manifest)
        except SettingsError as fault:
            faults[name] = fault
            continue
        faults.pop(name, None)
        folder = manifest.parent
        try:
            folder = files_folder(voice, folder)
        except EngineFailure as fault:
            faults[name] = fault
        voices[name] = FoundVoice(voice, folder, manifest)
    return Shelf(voices, faults)


def read_manifest(manifest: Path) -> Voice:
    """Read a manifest; raises SettingsError("model_invalid")."""
    try:
        if manifest.stat().st_size > _MOST_MANIFEST_BYTES:
            raise SettingsError("model_invalid", f"{manifest} is too large")
        content = manifest.read_bytes()
        document = tomllib.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError("model_invalid", f"{manifest} cannot be read: {error}") from error
    return parse_manifest(manifest.parent.name, document, hashlib.sha256(content).hexdigest())


def files_folder(voice: Voice, folder: Path) -> Path:
    """Return where the voice's files are: ``folder``, or inside the package that it names.

    The package is located by its installation's record and not imported.
    Raises EngineFailure: model_missing, model_invalid (another version).
    """
    if voice.package is None:
        return folder
    wanted = f"{voice.package}=={voice.package_version}"
    try:
        installed = metadata.distribution(voice.package)
    except metadata.PackageNotFoundError as error:
        raise EngineFailure("model_missing", f"the package {wanted} is not installed") from error
    if voice.package_version not in (None, installed.version):
        facts = f"{voice.package} {installed.version} is installed, not {voice.package_version}"
        raise EngineFailure("model_invalid", facts)
    for recorded in installed.files or ():
        if voice.files and recorded.as_posix().endswith("/" + voice.files[0].path):
            located = Path(str(installed.locate_file(recorded)))
            return located.parents[len(Path(voice.files[0].path).parts) - 1]
    raise EngineFailure("model_missing", f"{wanted} does not hold the voice's files")


def _manifests(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        try:
            found = sorted(entry / MANIFEST for entry in folder.iterdir())
        except OSError:
            continue
        yield from (manifest for manifest in found if manifest.is_file())
