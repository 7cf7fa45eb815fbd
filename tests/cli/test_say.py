"""`cosyedge say` and `cosyedge voices`, with the real worker and the default voice."""

import json
from pathlib import Path

import pytest

from cosyedge.adapters.encoding import decode
from cosyedge.demo.speech_check import speech_fault
from tests.cli.conftest import Command, only_line

TEXT = "The front door opened."


@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_text_is_spoken_into_a_file(suffix: str, cosyedge: Command, tmp_path: Path) -> None:
    output = tmp_path / f"door.{suffix}"
    ended = cosyedge("say", "-o", str(output), TEXT)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert speech_fault(decode(output), TEXT) is None


def test_speed_and_pauses_are_heard(cosyedge: Command, tmp_path: Path) -> None:
    def duration_s(*words: str) -> float:
        output = tmp_path / "out.wav"
        assert cosyedge("say", "-o", str(output), *words).returncode == 0
        return decode(output).duration_s

    plain = duration_s(TEXT)
    assert duration_s("--speed", "2", TEXT) < 0.75 * plain
    assert duration_s(f"{TEXT} [pause:2] {TEXT}") > 2 * plain + 1.5


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["say", "-o", "{}/x.wav", "..."], 1, "no word"),
        (["say", "-o", "{}/x.wav", "--voice", "nobody", "hi"], 1, "no voice 'nobody'"),
        (["say", "-o", "{}/x.doc", "hi"], 2, "must end in one of .wav"),
        (["say", "-o", "{}/gone/x.wav", "hi"], 2, "no such directory"),
        (["say", "--speed", "9", "hi"], 2, "speed"),
    ],
)
def test_what_cannot_be_said_is_one_line(
    words: list[str], status: int, told: str, cosyedge: Command, tmp_path: Path
) -> None:
    assert told in only_line(cosyedge(*(word.format(tmp_path) for word in words)), status)
    assert not (tmp_path / "x.wav").exists()


def test_box_without_a_player_says_so(cosyedge: Command) -> None:
    line = only_line(cosyedge("say", "hi", PATH="/nonexistent"), 1)
    assert "no sound device works here" in line


def test_voices_tell_languages_and_licence(cosyedge: Command) -> None:
    ended = cosyedge("voices", "--json")
    assert ended.returncode == 0, ended.stderr
    voice = next(row for row in json.loads(ended.stdout) if row["name"] == "hibari")
    assert voice["languages"] == ["en"]
    assert voice["licence"] == "Apache-2.0"
    assert voice["fault"] is None
    assert "hibari" in cosyedge("voices").stdout


def test_broken_voice_is_listed_with_its_fault(cosyedge: Command, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "voices" / "broken"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text("engine = 1\n")
    ended = cosyedge("voices", "--json", COSYEDGE_PATHS__STATE_DIR=str(tmp_path / "state"))
    row = next(row for row in json.loads(ended.stdout) if row["name"] == "broken")
    assert "engine is missing or wrong" in row["fault"]
