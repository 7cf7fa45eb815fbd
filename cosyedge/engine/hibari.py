"""The hibari voice: its package's reading of English, its graph in our session.

hibari-tts (Apache-2.0) brings lexicons, a tagger, a small network for unknown words and an
int8 graph from phoneme ids to spectra; its ``dsp`` turns those into samples. Source of the way
from ids to samples: hibari/tts.py 0.2.1, which is not imported itself: it would open sessions of
its own, and download voices.
"""

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.random import default_rng

from cosyedge.core.errors import EngineFailure
from cosyedge.core.speech import Samples, Speech, SpeechRequest
from cosyedge.core.voice import Voice
from cosyedge.engine.contract import Cancellation, EngineSettings
from cosyedge.engine.manifest import verified_files
from cosyedge.engine.processors import usable_threads
from cosyedge.engine.session import Array, Session, SessionOptions

SPEEDS = (0.5, 2.0)
# 200 ids are 12 s of speech and lift the process to 210 MB; 400 take it to 290 MB.
MAX_PHONEMES = 200
# Two threads halve the wait (22 to 13 ms for a short sentence); more gain nothing on its layers.
_AUTO_THREADS = 2
_PAD_ID = 0
_CLAUSE_ENDS = ".!?…,;:—"
_LONG_NUMBER = re.compile(r"[0-9](?:,?[0-9]){15,}")
_WARM_UP = "Ready, at 21 zweebles."

_Reader: TypeAlias = Callable[[str], str]


def load(voice: Voice, folder: Path, settings: EngineSettings) -> "Hibari":
    """Load the voice from ``folder``, the installed package's own.

    Raises EngineFailure: model_missing, model_invalid, out_of_memory.
    """
    files = verified_files(voice, folder)
    vocabulary = json.loads(files["vocabulary"].read_text(encoding="utf-8"))
    options = session_options(settings)
    # The sessions are built in C++ while Python parses the lexicons: 0.2 s less.
    with ThreadPoolExecutor(1) as beside:
        graph = beside.submit(Session, files["model"], options)
        unknown_words = beside.submit(Session, files["unknown_words"], SessionOptions())
        _open_package(folder)
        reader = _load_reader(files["unknown_words"], unknown_words.result)
        return Hibari(voice, graph.result(), reader, vocabulary)


def session_options(settings: EngineSettings) -> SessionOptions:
    """Read the engine's own options: arena, memory_pattern, shrink_arena (booleans).

    Raises EngineFailure("settings") for another one.
    """
    for name, value in settings.options.items():
        if name not in ("arena", "memory_pattern", "shrink_arena") or not isinstance(value, bool):
            raise EngineFailure("settings", f"hibari has no option {name} = {value!r}")
    threads = usable_threads(settings.threads or _AUTO_THREADS)
    return SessionOptions(threads=threads, **settings.options)


class Hibari:
    """The loaded voice."""

    def __init__(
        self, voice: Voice, graph: Session, reader: _Reader, vocabulary: Mapping[str, int]
    ) -> None:
        self.voice = voice
        self._graph = graph
        self._read = reader
        self._vocabulary = vocabulary
        self._waveform: Callable[..., Samples] = import_module("hibari.dsp").synth

    def synthesize(
        self, requests: Sequence[SpeechRequest], cancel: Cancellation
    ) -> Iterator[tuple[int, Speech]]:
        """Yield the requests in their order, one at a time: a run gains nothing from a batch."""
        for index, request in enumerate(requests):
            cancel.check()
            yield index, Speech(self._speak(request, cancel), self.voice.rate_hz)

    def warm_up(self) -> None:
        """Speak once, with a number and an unknown word: every path of the reader and the graph."""
        warm_up = SpeechRequest(_WARM_UP, "en", self.voice.name)
        list(self.synthesize([warm_up], Cancellation()))

    def close(self) -> None:
        """Hold nothing that the end of the process does not free."""

    def _speak(self, request: SpeechRequest, cancel: Cancellation) -> Samples:
        if not SPEEDS[0] <= request.speed <= SPEEDS[1]:
            raise EngineFailure("engine_error", f"hibari speaks at {SPEEDS[0]} to {SPEEDS[1]}")
        phonemes = self._phonemes(request)
        if not any(phoneme.isalpha() for phoneme in phonemes):
            raise EngineFailure("engine_error", "hibari can read nothing of this sentence")
        random = default_rng(int(request.quality.get("seed", 0)))
        parts = []
        for piece in split_phonemes(phonemes, MAX_PHONEMES):
            spectra = self._spectra(piece, request.speed, cancel)
            cancel.check()
            parts.append(self._waveform(*spectra, random))
        return np.concatenate(parts)

    def _phonemes(self, request: SpeechRequest) -> str:
        """Return what the vocabulary has of the sentence's phonemes, in misaki's alphabet."""
        phonemes = request.phonemes or self._read(_readable(request.spoken))
        return "".join(phoneme for phoneme in phonemes if phoneme in self._vocabulary).strip()

    def _spectra(self, phonemes: str, speed: float, cancel: Cancellation) -> list[Any]:
        """Run the graph: five spectra, each ``(601, frames)``, and the pitch ``(frames,)``."""
        ids = [_PAD_ID, *(self._vocabulary[phoneme] for phoneme in phonemes), _PAD_ID]
        feeds: dict[str, Array] = {
            "ids": np.array([ids], np.int64),
            "speed": np.array([speed], np.float32),
        }
        return [output[0] for output in self._graph.run(feeds, cancel)]


def _readable(text: str) -> str:
    """Take out of a text what the package's reader stumbles over.

    It takes "[word](/phonemes/)" for markup, which is text here; it reads digits of ASCII alone,
    and has no name for a number of more than 36.
    """
    text = text.replace("](", "] (")
    text = "".join(str(unicodedata.digit(char)) if char.isdigit() else char for char in text)
    return _LONG_NUMBER.sub(lambda number: " ".join(number[0]), text)


def split_phonemes(phonemes: str, most: int) -> list[str]:
    """Cut ``phonemes`` into pieces of at most ``most``: after a clause, else between words."""
    pieces = []
    while len(phonemes) > most:
        window = phonemes[:most]
        clause = max(window.rfind(mark) for mark in _CLAUSE_ENDS) + 1
        cut = clause if clause > most // 4 else window.rfind(" ") + 1
        cut = cut or most
        pieces.append(phonemes[:cut].strip())
        phonemes = phonemes[cut:]
    pieces.append(phonemes.strip())
    return [piece for piece in pieces if piece]


class _UnknownWordSession:
    """Our session behind the two arguments by which the package calls one."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def run(self, _outputs: None, feeds: Mapping[str, Any]) -> list[Any]:
        return self._session().run(feeds)


def _open_package(folder: Path) -> None:
    """Make ``hibari.*`` importable from ``folder`` without running the package's __init__.

    That one imports the downloader, and with it ssl.
    """
    package = ModuleType("hibari")
    package.__path__ = [str(folder)]
    sys.modules["hibari"] = package


def _load_reader(unknown_words: Path, session: Callable[[], Session]) -> _Reader:
    guess = import_module("hibari.g2p.oov").OOV(str(unknown_words), _UnknownWordSession(session))
    reader: _Reader = import_module("hibari.g2p").G2P(oov=guess)
    return reader
