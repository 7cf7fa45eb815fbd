"""What the text door takes and gives: options, rewrites and the reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from cosyedge.core.utterance import Utterance
from cosyedge.text.lexicon import Lexicon

#: Part of the phrase cache's key: changed whenever a text may come out in other words.
READER_VERSION = "1"

#: Characters of one sentence where the voice's manifest gives no bound.
DEFAULT_MAX_CHARS = 200

Markup = Literal["none", "ssml"]
Unavailable = Literal["speak", "replace", "refuse"]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How to read one text.

    ``lang`` is ``auto`` or a language code; ``latin_default`` and ``han_default`` decide what
    ``auto`` makes of Latin and of Han text. ``languages`` lists what the voice can speak; empty
    means anything. ``max_chars`` bounds a spoken sentence by language (``"*"`` is the rest), in
    characters; sentences under ``min_chars`` join their neighbour. ``reads_numbers`` says that
    the voice reads numbers itself: without it, figures in a language that has no reader here
    pass with the warning ``figures_unread``. ``unavailable`` says what becomes of
    "unavailable", "unknown" and "None".
    """

    lang: str = "auto"
    latin_default: str = "en"
    han_default: str = "zh"
    languages: tuple[str, ...] = ()
    markup: Markup = "none"
    lexicon: Lexicon = field(default_factory=lambda: Lexicon.EMPTY)
    max_chars: Mapping[str, int] = field(default_factory=dict)
    min_chars: int = 8
    text_max_chars: int = 1000
    reads_numbers: bool = False
    unavailable: Unavailable = "speak"

    def bound(self, lang: str) -> int:
        """Give the greatest number of characters of one spoken sentence."""
        return self.max_chars.get(lang, self.max_chars.get("*", DEFAULT_MAX_CHARS))


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewriting: what stood there, what is said instead, and the rule that did it."""

    before: str
    after: str
    rule: str

    def __str__(self) -> str:
        """The rewriting as ``normalize --explain`` and an event's debug show it."""
        return f"{self.before!r} → {self.after!r}  ({self.rule})"


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it will be spoken; ``warnings`` are codes of :mod:`cosyedge.core.codes`."""

    utterances: tuple[Utterance, ...]
    warnings: tuple[str, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()

    @property
    def spoken(self) -> str:
        """Give the utterances joined by one blank."""
        return " ".join(utterance.spoken for utterance in self.utterances)
