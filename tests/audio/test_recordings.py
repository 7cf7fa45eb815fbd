"""Recorded messages, called by name."""

import os
from pathlib import Path

import pytest

from cosyedge.adapters.encoding import encode
from cosyedge.adapters.recordings import Recordings
from cosyedge.core.errors import StorageFailure
from tests.audio.sounds import tone


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Recordings of each kind, and a secret beside them."""
    home = tmp_path / "recordings"
    home.mkdir()
    for format, suffix in [("wav", "wav"), ("flac", "flac"), ("mp3", "mp3"), ("opus", "opus")]:
        (home / f"gong-{format}.{suffix}").write_bytes(encode(tone(0.5), format))
    (home / "tune.ogg").write_bytes(encode(tone(0.5), "opus"))
    (home / "notes.txt").write_text("not a recording")
    (tmp_path / "secret.wav").write_bytes(encode(tone(0.5), "wav"))
    return home


async def test_every_format_is_found_by_name_and_plays(folder: Path) -> None:
    recordings = Recordings(folder)
    assert recordings.names() == ("gong-flac", "gong-mp3", "gong-opus", "gong-wav", "tune")
    for name in recordings.names():
        speech = await recordings.load(name)
        assert speech.duration_s == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(
    "name",
    [
        *("missing", "", ".", "..", "../secret", "/etc/passwd", "gong-wav.wav/", "gong\0"),
        *("gong-wav\n", "x" * 65, "notes", "gong wav", ".hidden"),
    ],
)
async def test_name_that_is_none_of_ours_is_unknown(folder: Path, name: str) -> None:
    recordings = Recordings(folder)
    assert not recordings.has(name)
    with pytest.raises(StorageFailure) as caught:
        await recordings.load(name)
    assert caught.value.code == "unknown_media"


async def test_link_out_of_the_folder_is_refused_one_inside_is_followed(folder: Path) -> None:
    (folder / "away.wav").symlink_to(folder.parent / "secret.wav")
    (folder / "loop.wav").symlink_to(folder / "loop.wav")
    (folder / "alias.wav").symlink_to(folder / "gong-wav.wav")
    recordings = Recordings(folder)
    assert not recordings.has("away")
    assert not recordings.has("loop")
    assert "away" not in recordings.names()
    assert (await recordings.load("alias")).duration_s == 0.5


async def test_device_or_fifo_under_a_name_is_no_recording(folder: Path) -> None:
    os.mkfifo(folder / "pipe.wav")
    (folder / "folder.wav").mkdir()
    recordings = Recordings(folder)
    assert not recordings.has("pipe")
    assert not recordings.has("folder")


@pytest.mark.parametrize("data", [b"", b"<html>", bytes(10_000)])
async def test_what_is_no_audio_is_corrupt(folder: Path, data: bytes) -> None:
    (folder / "bad.wav").write_bytes(data)
    with pytest.raises(StorageFailure) as caught:
        await Recordings(folder).load("bad")
    assert caught.value.code == "corrupt"


async def test_size_and_length_are_bounded(folder: Path) -> None:
    with pytest.raises(StorageFailure):
        await Recordings(folder, max_bytes=1000).load("gong-wav")
    with pytest.raises(StorageFailure):
        await Recordings(folder, max_s=0.2).load("gong-wav")


async def test_missing_folder_is_an_empty_one(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path / "nowhere")
    assert recordings.names() == ()
    assert not recordings.has("gong")
