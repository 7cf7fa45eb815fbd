"""The real default voice, and folders in which one of its files is broken."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

from cosyedge.adapters.voice_folder import FoundVoice, find_voices, packaged_voices
from cosyedge.core.speech import SpeechRequest
from cosyedge.core.voice import Voice, VoiceFile


def hibari() -> FoundVoice:
    """The default voice, as it is found on this box."""
    return find_voices([packaged_voices()]).voices["hibari"]


def say(text: str, **fields: object) -> SpeechRequest:
    """A request to the default voice."""
    return SpeechRequest(text, "en", "hibari", **fields)  # type: ignore[arg-type]


def with_file(
    found: FoundVoice, folder: Path, role: str, content: bytes | None, *, believed: bool
) -> FoundVoice:
    """Copy the voice to ``folder`` with one file replaced, or left out where None.

    ``believed``: the manifest gives the new content's sum, as an author's own mistake would.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for file in found.voice.files:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.role != role:
            shutil.copyfile(found.folder / file.path, target)
            files.append(file)
            continue
        files.append(_stated(file, content) if believed and content is not None else file)
        if content is not None:
            target.write_bytes(content)
    voice: Voice = replace(found.voice, files=tuple(files), package=None)
    return FoundVoice(voice, folder, found.manifest)


def _stated(file: VoiceFile, content: bytes) -> VoiceFile:
    return replace(file, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
