"""Spell what a say-as element asks for, and join the chunks of one sentence again."""

from collections.abc import Iterator, Sequence

from cosyedge.text.languages import FULL, grammar_for
from cosyedge.text.markup import Chunk
from cosyedge.text.options import ReadingOptions
from cosyedge.text.scripts import sentence_language


def joined(
    found: Sequence[Chunk], lang: str, options: ReadingOptions
) -> Iterator[tuple[str, float]]:
    """Give (text, pause before it in seconds) for each chunk that begins a sentence."""
    text, pause_s = "", 0.0
    if lang == "auto":
        lang = sentence_language(" ".join(chunk.text for chunk in found), options, False)
    for chunk in found:
        if text and chunk.starts_sentence:
            yield text, pause_s
            text = ""
        pause_s = pause_s if text else chunk.pause_before_s
        text += _spelled(chunk, lang)
    if text:
        yield text, pause_s


def _spelled(chunk: Chunk, lang: str) -> str:
    if chunk.style == "text":
        return chunk.text
    chars = [char for char in chunk.text if char.isalnum()]
    reader = grammar_for(lang if lang in FULL else "en")
    words = [reader.digits(char) if char in "0123456789" else char for char in chars]
    if chunk.style == "digits":
        words = [word for word, char in zip(words, chars, strict=True) if char.isdigit()]
    return f" {' '.join(words)} "
