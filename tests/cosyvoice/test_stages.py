"""Graphs come and go, and what a graph took is given back."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from cosyedge.bench.cosyvoice import piece
from cosyedge.core.speech import SpeechRequest
from cosyedge.engine.contract import Cancellation
from cosyedge.engine.cosyvoice.engine import CosyVoice
from cosyedge.engine.cosyvoice.stages import GraphFile, is_staged
from cosyedge.engine.cosyvoice.watch import unwatched
from cosyedge.export.random_model import SIZES
from tests.cosyvoice.bundles import export_random, loaded

# A language model of 75 MB, so that its coming and going can be seen.
HEAVY = replace(SIZES["tiny"], language=512, language_inner=2048, head_width=64, language_layers=6)


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def speak(voice: CosyVoice, text: str) -> None:
    request = SpeechRequest(text, "zh", "v", quality={"steps": 1})
    for _ in voice.synthesize([request], Cancellation()):
        pass


def test_a_released_graph_gives_its_memory_back(tmp_path: Path) -> None:
    stages = loaded(export_random(tmp_path, "fp32", HEAVY), "staged").model.stages
    stages.session("language_model")
    stages.release()
    before = resident_mb()
    stages.session("language_model")
    assert resident_mb() > before + 60
    stages.release()
    assert resident_mb() < before + 10


def test_a_staged_voice_holds_no_graph_between_calls(tmp_path: Path) -> None:
    voice = loaded(export_random(tmp_path, "fp32", HEAVY), "staged")
    speak(voice, "好。")
    before = resident_mb()
    speak(voice, "前门已打开。")
    assert resident_mb() < before + 10


def test_a_staged_voice_that_is_cancelled_holds_no_graph(tmp_path: Path) -> None:
    voice = loaded(export_random(tmp_path, "fp32", HEAVY), "staged")
    speak(voice, "好。")
    before = resident_mb()
    cancel = Cancellation()
    request = SpeechRequest("前门已打开。", "zh", "v", quality={"steps": 1})
    stream = voice.synthesize([request, request], cancel)
    next(stream)
    voice.model.stages.session("language_model")
    cancel.request()
    # The second is spoken already: staged, both pass each graph together.
    list(stream)
    assert resident_mb() < before + 10


def test_memory_does_not_grow_over_varied_sentences(tmp_path: Path) -> None:
    voice = loaded(export_random(tmp_path, "int8"), "resident")
    sizes = [(1 + number * 7 % 30, 1 + number * 11 % 37) for number in range(240)]
    pieces = [piece(voice, number, "draft", *size) for number, size in enumerate(sizes)]
    for one in pieces[:40]:
        list(voice.speak([one], unwatched()))
    before = resident_mb()
    for one in pieces[40:]:
        list(voice.speak([one], unwatched()))
    assert resident_mb() < before + 20


@pytest.mark.parametrize(
    ("wanted", "cap_mb", "staged"),
    [
        ("auto", None, False),
        ("auto", 300, True),
        ("auto", 2000, False),
        ("staged", 2000, True),
        ("resident", 300, False),
    ],
)
def test_graphs_are_staged_where_they_do_not_fit(
    tmp_path: Path, wanted: str, cap_mb: int | None, staged: bool
) -> None:
    large = tmp_path / "large.onnx"
    large.touch()
    os.truncate(large, 500 << 20)
    cap_bytes = None if cap_mb is None else cap_mb << 20
    assert is_staged(wanted, cap_bytes, {"large": GraphFile.of(large)}) is staged
