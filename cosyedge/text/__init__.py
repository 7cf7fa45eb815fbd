"""The text door: a text as written → the sentences as a person would say them."""

from collections.abc import Iterable

from cosyedge.core.utterance import Utterance
from cosyedge.text.lexicon import Lexicon
from cosyedge.text.options import READER_VERSION, Reading, ReadingOptions, Rewrite


def read(text: str, options: ReadingOptions) -> Reading:
    """Give the utterances of ``text``.

    Raises Refusal: empty_text, nothing_speakable, too_long, unsupported_language, and
    unavailable_value when ``options.unavailable`` is ``refuse``.
    """
    # The rules are compiled with the first text: time and memory that an import does not owe.
    from cosyedge.text.reading import read as read_text

    return read_text(text, options)


def warm(languages: Iterable[str]) -> None:
    """Load and compile what these languages need, for the first text not to wait for it.

    Takes 20 to 100 ms a language: run it in a thread. Codes without a reader are passed over.
    """
    from cosyedge.text.rules import load

    for lang in languages:
        load(lang)


__all__ = [
    "READER_VERSION",
    "Lexicon",
    "Reading",
    "ReadingOptions",
    "Rewrite",
    "Utterance",
    "read",
    "warm",
]
