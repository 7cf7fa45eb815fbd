"""The configured lexicon as the text door takes it."""

from collections.abc import Mapping

from cosyedge.config.text import PronunciationSettings, TextSettings
from cosyedge.text.lexicon import Lexicon


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
