"""Announcements as files."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cosyedge.adapters.encoding import decode
from cosyedge.adapters.file_output import FileOutput, file_name
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Output
from tests.audio.sounds import PROGRAMME, tone


@pytest.mark.parametrize("format", ["wav", "flac"])
async def test_announcement_becomes_one_file_at_its_end(tmp_path: Path, format: str) -> None:
    output: Output = FileOutput("files", tmp_path / "out", format=format)
    assert await output.probe() is None
    session = await output.open(PROGRAMME)
    await session.write(tone(0.5), last=False)
    await session.write(tone(0.25, 22_050), last=True)
    assert not any((tmp_path / "out").iterdir())
    await session.drain()
    path = tmp_path / "out" / f"kitchen.a1.{format}"
    assert [path] == list((tmp_path / "out").iterdir())
    heard = decode(path)
    assert (heard.rate_hz, heard.duration_s) == (24_000, pytest.approx(0.75, abs=0.001))
    assert np.abs(heard.samples).max() == pytest.approx(0.316, rel=0.02)
    assert session.playback.played_s == pytest.approx(0.75, abs=0.001)
    assert session.playback.first_audio_at is not None


async def test_cut_announcement_leaves_no_file(tmp_path: Path) -> None:
    session = await FileOutput("files", tmp_path).open(PROGRAMME)
    await session.write(tone(0.5), last=False)
    await session.stop(0.15)
    await session.drain()
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("id", ["../../etc/passwd", "a/b", "..", ".hidden", "a\nb", "x" * 300, ""])
def test_no_id_leads_out_of_the_directory(id: str) -> None:
    name = file_name("kitchen", id, "wav")
    assert Path(name).name == name
    assert not name.startswith(".")
    assert name.isprintable()
    assert len(name) < 130


async def test_oldest_files_give_way(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("not an announcement")
    output = FileOutput("files", tmp_path, max_files=3)
    for number in range(6):
        session = await output.open(replace(PROGRAMME, id=f"a{number}"))
        await session.write(tone(0.05), last=True)
        await session.drain()
        os.utime(tmp_path / f"kitchen.a{number}.wav", (number, number))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["kitchen.a3.wav", "kitchen.a4.wav", "kitchen.a5.wav", "mine.txt"]


async def test_directory_that_cannot_be_is_a_disk_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    output = FileOutput("files", tmp_path / "file" / "out")
    assert await output.probe() == "disk"
    session = await output.open(PROGRAMME)
    await session.write(tone(0.05), last=True)
    with pytest.raises(OutputFailure) as caught:
        await session.drain()
    assert caught.value.code == "disk"
