"""Voices are found in their order, and a broken one hides nothing."""

import sys
from pathlib import Path

import pytest

from cosyedge.adapters.voice_folder import (
    files_folder,
    find_voices,
    packaged_voices,
    search_order,
)
from cosyedge.core.errors import EngineFailure
from tests.support.voices import hibari

MANIFEST = """
engine = "hibari"
rate_hz = {rate_hz}
languages = ["en"]
licence = "CC0"
files = []
[source]
{source}
"""


def _voice(folder: Path, name: str, rate_hz: int = 16_000, source: str = "") -> Path:
    (folder / name).mkdir(parents=True)
    manifest = folder / name / "manifest.toml"
    manifest.write_text(MANIFEST.format(rate_hz=rate_hz, source=source))
    return manifest


def test_the_default_voice_comes_with_the_package_and_is_not_imported() -> None:
    found = find_voices([packaged_voices()])
    assert "hibari" not in found.faults
    assert found.voices["hibari"].voice.rate_hz == 24_000
    assert (found.voices["hibari"].folder / "assets/hibari.onnx").is_file()
    assert not hasattr(sys.modules.get("hibari"), "Hibari")


def test_the_first_folder_that_has_a_name_wins(tmp_path: Path) -> None:
    _voice(tmp_path / "a", "anna", 8_000)
    _voice(tmp_path / "b", "anna", 16_000)
    _voice(tmp_path / "b", "bert")
    found = find_voices([tmp_path / "a", tmp_path / "absent", tmp_path / "b"])
    assert found.voices["anna"].voice.rate_hz == 8_000
    assert found.voices["anna"].folder == tmp_path / "a" / "anna"
    assert sorted(found.voices) == ["anna", "bert"]


def test_the_state_directory_comes_before_etc_and_the_package(tmp_path: Path) -> None:
    order = search_order(tmp_path)
    assert order[0] == tmp_path / "voices"
    assert order[-1] == packaged_voices()


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"engine = [", b"engine = 3", b"x" * (2 << 20), b"a=" + b"[" * 50_000],
    ids=["empty", "binary", "cut", "wrong", "huge", "deep"],
)
def test_a_broken_manifest_is_a_fault_and_hides_no_other(tmp_path: Path, content: bytes) -> None:
    _voice(tmp_path / "a", "anna").write_bytes(content)
    _voice(tmp_path / "b", "bert")
    found = find_voices([tmp_path / "a", tmp_path / "b"])
    assert sorted(found.voices) == ["bert"]
    assert found.faults["anna"].code == "model_invalid"
    _voice(tmp_path / "b", "anna")
    found = find_voices([tmp_path / "a", tmp_path / "b"])
    assert sorted(found.voices) == ["anna", "bert"]
    assert not found.faults


@pytest.mark.parametrize("name", ["a b", "x" * 65, ".hidden", "Ünal"])
def test_a_folder_whose_name_is_no_voices_is_a_fault(tmp_path: Path, name: str) -> None:
    _voice(tmp_path, name)
    found = find_voices([tmp_path])
    assert not found.voices
    assert found.faults[name].code == "model_invalid"


def test_a_missing_package_is_a_fault_of_a_voice_that_is_still_known(tmp_path: Path) -> None:
    _voice(tmp_path, "anna", source='package = "no-such-voice"\nversion = "1.0"')
    found = find_voices([tmp_path])
    assert "anna" in found.voices
    assert found.faults["anna"].code == "model_missing"
    assert "no-such-voice==1.0" in str(found.faults["anna"])


def test_another_version_of_the_package_is_a_fault(tmp_path: Path) -> None:
    _voice(tmp_path, "anna", source='package = "numpy"\nversion = "0.1"')
    assert find_voices([tmp_path]).faults["anna"].code == "model_invalid"


def test_a_package_that_holds_no_such_file_is_missing_them() -> None:
    voice = hibari().voice
    with pytest.raises(EngineFailure) as caught:
        files_folder(_of_package(voice, "numpy"), Path())
    assert caught.value.code == "model_missing"


def _of_package(voice, package):
    from dataclasses import replace

    return replace(voice, package=package, package_version=None)
