"""Read a text: clean it, cut it into sentences, and say each in its language's words."""

import unicodedata

from cosyedge.core.errors import Refusal
from cosyedge.core.utterance import Utterance
from cosyedge.text.options import Reading, ReadingOptions
from cosyedge.text.splitting import merge_short, split


def read(text: str, options: ReadingOptions) -> Reading:
    """Give the utterances of ``text``.

    Raises Refusal: empty_text, nothing_speakable, too_long, unsupported_language, and
    unavailable_value when ``options.unavailable`` is ``refuse``.
    """
    if not text.strip():
        raise Refusal("empty_text", "the text is empty")
    if len(text) > options.text_max_chars:
        raise Refusal("too_long", f"the text has more than {options.text_max_chars} characters")
    clean = unicodedata.normalize("NFC", text)
    if not any(char.isalnum() for char in clean):
        raise Refusal("nothing_speakable", "the text holds no word")
    lang = options.latin_default if options.lang == "auto" else options.lang
    bound = options.bound(lang)
    pieces = merge_short(split(clean, lang, bound), options.min_chars, bound)
    return Reading(tuple(Utterance(piece, piece.strip(), lang) for piece in pieces))
