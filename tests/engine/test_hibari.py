"""The default voice speaks whatever it is given, within its bounds."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.shaping import check_audio
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.engine.contract import Cancellation, EngineSettings
from cosyedge.engine.hibari import MAX_PHONEMES, Hibari, load, session_options, split_phonemes
from cosyedge.engine.session import SessionOptions
from tests.support.voices import hibari, say


@pytest.fixture(scope="module")
def voice() -> Hibari:
    """The loaded voice, on one thread."""
    found = hibari()
    loaded = load(found.voice, found.folder, EngineSettings(threads=1))
    loaded.warm_up()
    return loaded


def _speak(voice: Hibari, *requests: SpeechRequest) -> list[Speech]:
    made = list(voice.synthesize(requests, Cancellation()))
    assert [index for index, _ in made] == list(range(len(requests)))
    return [speech for _, speech in made]


def test_it_speaks_at_its_rate(voice: Hibari) -> None:
    (speech,) = _speak(voice, say("The front door opened."))
    assert speech.rate_hz == 24_000
    assert speech.samples.dtype == np.float32
    assert 1.0 < speech.duration_s < 3.0
    assert check_audio(speech.samples, speech.rate_hz, 22) is None


def test_the_same_request_gives_the_same_samples(voice: Hibari) -> None:
    first, second = _speak(voice, say("Hello there."), say("Hello there."))
    assert np.array_equal(first.samples, second.samples)


def test_another_seed_gives_other_samples(voice: Hibari) -> None:
    first, second = _speak(voice, say("Hello."), say("Hello.", quality={"seed": 7}))
    assert not np.array_equal(first.samples, second.samples)


@pytest.mark.parametrize("speed", [0.5, 0.7, 1.0, 1.4, 2.0])
def test_one_word_is_spoken_at_every_speed(voice: Hibari, speed: float) -> None:
    (speech,) = _speak(voice, say("Fire", speed=speed))
    assert check_audio(speech.samples, speech.rate_hz, 4) is None


def test_twice_the_speed_takes_about_half_the_time(voice: Hibari) -> None:
    text = "The washing machine in the cellar is done."
    slow, fast = _speak(voice, say(text), say(text, speed=2.0))
    assert 0.35 < fast.duration_s / slow.duration_s < 0.75


@pytest.mark.parametrize("speed", [0.0, 0.49, 2.01, -1.0, float("nan")])
def test_a_speed_out_of_range_is_refused(voice: Hibari, speed: float) -> None:
    with pytest.raises(EngineFailure) as caught:
        _speak(voice, say("Fire", speed=speed))
    assert caught.value.code == "engine_error"


@pytest.mark.parametrize("text", ["", " ", "温度二十一度", "\U0001f525", "()"])
def test_a_text_that_it_cannot_read_is_refused(voice: Hibari, text: str) -> None:
    with pytest.raises(EngineFailure) as caught:
        _speak(voice, say(text))
    assert caught.value.code == "engine_error"


@pytest.mark.parametrize(
    "text",
    [
        "a < b & c",
        "Zweeblefrotz",
        "x" * 300,
        "H₂O and ⑨ and ٣",
        "1234567890" * 5,
        "e\u0301" * 8,
        "the [door](/həlˈO/) opened",
        "\ud800 lone surrogate",
        "A" * 120 + " " + "b1" * 60,
    ],
)
def test_odd_texts_are_spoken(voice: Hibari, text: str) -> None:
    (speech,) = _speak(voice, say(text))
    assert check_audio(speech.samples, speech.rate_hz, 2 * len(text)) is None


def test_the_packages_own_markup_is_text(voice: Hibari) -> None:
    marked, plain = _speak(voice, say("one [two](/wˈʌn/) three"), say("one two three"))
    assert marked.duration_s > plain.duration_s


def test_phonemes_replace_the_reading(voice: Hibari) -> None:
    by_text, by_phonemes = _speak(voice, say("Hello."), say("Goodbye.", phonemes="həlˈO."))
    assert np.array_equal(by_text.samples, by_phonemes.samples)


def test_unknown_phonemes_are_skipped(voice: Hibari) -> None:
    (plain, odd) = _speak(voice, say("", phonemes="həlˈO."), say("", phonemes="h☃əl火ˈO."))
    assert np.array_equal(plain.samples, odd.samples)


def test_a_long_sentence_is_cut_and_joined(voice: Hibari) -> None:
    clause = "the washing machine is done, "
    short, long = _speak(voice, say(clause), say(clause * 30))
    assert long.duration_s > 15 * short.duration_s


def test_it_stops_between_sentences(voice: Hibari) -> None:
    cancel = Cancellation()
    made = voice.synthesize([say("One."), say("Two.")], cancel)
    next(made)
    cancel.request()
    with pytest.raises(Cancelled):
        next(made)


@given(st.text(alphabet="abcdə ˈ,.!?—", max_size=1200), st.integers(2, 400))
def test_splitting_loses_no_phoneme(phonemes: str, most: int) -> None:
    pieces = split_phonemes(phonemes, most)
    assert all(0 < len(piece) <= most for piece in pieces)
    assert "".join(pieces).replace(" ", "") == phonemes.replace(" ", "")


def test_splitting_prefers_the_end_of_a_clause() -> None:
    phonemes = "wˈʌn tˈu, " * 40
    pieces = split_phonemes(phonemes, MAX_PHONEMES)
    assert all(piece.endswith(",") for piece in pieces)
    assert len(pieces) == 2


def test_its_options_reach_the_session() -> None:
    chosen = session_options(EngineSettings(threads=1, options={"arena": True}))
    assert chosen == SessionOptions(threads=1, arena=True)


@pytest.mark.parametrize("options", [{"turbo": True}, {"arena": "yes"}, {"threads": 9}])
def test_an_option_that_it_does_not_have_is_refused(options: dict) -> None:
    with pytest.raises(EngineFailure) as caught:
        session_options(EngineSettings(options=options))
    assert caught.value.code == "settings"


LOADED = """
import sys
from cosyedge.adapters.voice_folder import find_voices, packaged_voices
from cosyedge.engine.contract import EngineSettings
from cosyedge.engine.hibari import load

found = find_voices([packaged_voices()]).voices["hibari"]
before = set(sys.modules)
load(found.voice, found.folder, EngineSettings()).warm_up()
print(*set(sys.modules) - before)
"""


def test_neither_the_packages_sessions_nor_its_downloader_are_loaded() -> None:
    ran = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "hibari.g2p" in loaded
    assert not loaded & {"hibari.tts", "hibari.voices", "urllib.request", "ssl"}
