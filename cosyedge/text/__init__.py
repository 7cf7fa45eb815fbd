"""The text door: a text as written → the sentences as a person would say them."""

from cosyedge.core.utterance import Utterance
from cosyedge.text.lexicon import Lexicon
from cosyedge.text.options import READER_VERSION, Reading, ReadingOptions, Rewrite
from cosyedge.text.reading import read

__all__ = [
    "READER_VERSION",
    "Lexicon",
    "Reading",
    "ReadingOptions",
    "Rewrite",
    "Utterance",
    "read",
]
