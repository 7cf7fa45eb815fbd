"""Check a voice's files against its manifest before anything of them is used."""

import hashlib
from pathlib import Path

from cosyedge.core.errors import EngineFailure
from cosyedge.core.voice import Voice, VoiceFile

_CHUNK_BYTES = 1 << 20


def verified_files(voice: Voice, folder: Path) -> dict[str, Path]:
    """Return the voice's files by role, each verified by size and sha256.

    A role that several files share (code, say) gives the last of them. A flipped bit loads
    without a complaint: only the sum tells.
    Raises EngineFailure: model_missing, model_invalid.
    """
    return {file.role: verified_file(file, folder) for file in voice.files}


def verified_file(file: VoiceFile, folder: Path) -> Path:
    """Return the path of one file, verified by size and sha256.

    Raises EngineFailure: model_missing, model_invalid.
    """
    path = folder / file.path
    try:
        size_bytes = path.stat().st_size
        if size_bytes != file.size_bytes:
            facts = f"has {size_bytes} bytes and not {file.size_bytes}"
            raise EngineFailure("model_invalid", f"{file.path} {facts}")
        if _sha256(path) != file.sha256:
            raise EngineFailure("model_invalid", f"{file.path} is not what the manifest says")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise EngineFailure("model_missing", f"{file.path} is not there") from error
    except OSError as error:
        raise EngineFailure("model_invalid", f"{file.path} cannot be read: {error}") from error
    return path


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
