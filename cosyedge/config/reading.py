"""How texts are read, by the configuration: the lexicon and the text door's options."""

from collections.abc import Mapping

from cosyedge.config.settings import Settings
from cosyedge.config.text import PronunciationSettings, TextSettings
from cosyedge.core.voice import Voice
from cosyedge.text.lexicon import Lexicon
from cosyedge.text.options import ReadingOptions


def lexicon_of(text: TextSettings) -> Lexicon:
    """Sort the configured words: those given as text, and those given as phonemes."""
    words: dict[str, Mapping[str, str]] = {}
    phonemes: dict[str, Mapping[str, str]] = {}
    for language, entries in text.lexicon.items():
        words[language] = {
            word: said
            for word, said in entries.items()
            if not isinstance(said, PronunciationSettings)
        }
        phonemes[language] = {
            word: said.phonemes
            for word, said in entries.items()
            if isinstance(said, PronunciationSettings)
        }
    return Lexicon(words, phonemes)


def reading_options(settings: Settings, voice: Voice, lang: str | None = None) -> ReadingOptions:
    """Give the options of a text in ``lang`` (None: the node's) for ``voice``."""
    return ReadingOptions(
        lang=lang or settings.node.lang or "auto",
        latin_default=settings.node.latin_default,
        han_default=settings.node.han_default,
        languages=voice.languages,
        markup=settings.text.markup,
        lexicon=lexicon_of(settings.text),
        max_chars=voice.max_chars,
        text_max_chars=settings.limits.text_max_chars,
        reads_numbers=voice.reads_numbers,
        unavailable=settings.policy.unavailable,
    )
