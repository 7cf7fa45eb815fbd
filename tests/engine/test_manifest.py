"""A voice's files are used only if they are what the manifest says."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.contract import EngineSettings
from cosyedge.engine.hibari import load
from cosyedge.engine.manifest import verified_file, verified_files
from tests.support.voices import hibari, with_file

MODEL = (hibari().folder / "assets/hibari.onnx").read_bytes()


def _flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 0x10]) + content[middle + 1 :]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(None, "model_missing", id="missing"),
        pytest.param(b"", "model_invalid", id="empty"),
        pytest.param(MODEL[:-1], "model_invalid", id="truncated"),
        pytest.param(b"<!doctype html><html>404</html>", "model_invalid", id="html"),
        pytest.param(_flipped(MODEL), "model_invalid", id="flipped-bit"),
    ],
)
def test_a_file_that_is_not_the_manifests_is_refused_before_use(
    tmp_path: Path, content: bytes | None, code: str
) -> None:
    broken = with_file(hibari(), tmp_path / "voice", "model", content, believed=False)
    with pytest.raises(EngineFailure) as caught:
        load(broken.voice, broken.folder, EngineSettings())
    assert caught.value.code == code
    assert "hibari.onnx" in str(caught.value)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: content[: len(content) // 2], id="truncated"),
        pytest.param(lambda content: b"<html>", id="html"),
    ],
)
def test_a_spoilt_model_that_its_manifest_believes_is_refused_at_load(
    tmp_path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    broken = with_file(hibari(), tmp_path / "voice", "model", spoil(MODEL), believed=True)
    with pytest.raises(EngineFailure) as caught:
        load(broken.voice, broken.folder, EngineSettings())
    assert caught.value.code == "model_invalid"


@pytest.mark.parametrize("role", sorted({file.role for file in hibari().voice.files}))
def test_every_file_is_watched(tmp_path: Path, role: str) -> None:
    found = hibari()
    paths = [file.path for file in found.voice.files if file.role == role]
    content = _flipped((found.folder / paths[0]).read_bytes())
    broken = with_file(found, tmp_path / "voice", role, content, believed=False)
    with pytest.raises(EngineFailure) as caught:
        verified_files(broken.voice, broken.folder)
    assert caught.value.code == "model_invalid"


def test_r14_every_one_of_300_flipped_bits_is_found(tmp_path: Path) -> None:
    chance = random.Random(14)
    found = hibari()
    for file in chance.choices(found.voice.files, k=300):
        content = bytearray((found.folder / file.path).read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        target = tmp_path / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        with pytest.raises(EngineFailure) as caught:
            verified_file(file, tmp_path)
        assert caught.value.code == "model_invalid"


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    broken = with_file(hibari(), tmp_path / "voice", "model", None, believed=False)
    (broken.folder / "assets/hibari.onnx").mkdir()
    with pytest.raises(EngineFailure) as caught:
        verified_files(broken.voice, broken.folder)
    assert caught.value.code == "model_invalid"
