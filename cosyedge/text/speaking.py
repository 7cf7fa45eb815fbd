"""Say one segment in its language's words, and finish it for the engine."""

import re

from cosyedge.text.languages import FULL, UNSPACED, grammar_for
from cosyedge.text.options import Rewrite
from cosyedge.text.rules import first_rules, number_rules, word_rules
from cosyedge.text.scripts import Segment

_CJK = "\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_BETWEEN = re.compile(rf"(?<=[{_CJK}]) +(?=[{_CJK}])")
_BESIDE = re.compile(rf"(?<=[{_CJK}]) +| +(?=[{_CJK}])")
_DIGIT = re.compile(r"\d")
#: What an engine may hear: letters, marks, digits, and the signs that shape a sentence.
_MARKS = (
    "\u0300-\u036f\u0590-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u0e00-\u0eff"
    "\u3099\u309a"
)
_REFUSED_MARK = re.compile(
    rf"[^\w\s.,!?;:'\"()。，、！？；：（）“”‘’「」『』《》…—–·・¿¡«»‹›„‚{_MARKS}-]|_"
)
_DASH = re.compile(r"\s[-–—]+\s|(?<![\w)])-+(?=\s|$)|-{2,}|(?<!\w)-(?=[^\W\d])")
_SPACE_BEFORE = re.compile(r"\s+(?=[.,!?;:)。，、！？；：）])")
_DOUBLED = re.compile(r"([.,;:、，])(?:\s*[,;:、，])+")
_EMPTY = re.compile(r"\(\s*\)|（\s*）|\"\s*\"|“\s*”|「\s*」")
_LEADING = re.compile(r"^[\s.,;:!?、，。；：！？…·・)）-]+")
_ENDING = re.compile(r"[.!?。！？…][\"'”’」』)）»›]*$")
_CLOSERS = re.compile(r"[\s,;:、，；：·・–—-]+(?=[\"'”’」』)）»›]*$)")


def say(segment: Segment, rewrites: list[Rewrite]) -> str:
    """Give the words of a segment; a language without a reader passes as it stands."""
    lang, text = segment.lang, segment.text
    if lang not in FULL:
        return text
    spaced = grammar_for(lang).spaced
    if not spaced:
        # Blanks between two words of the text are kept; those around figures are not said.
        text = _BETWEEN.sub("\u3000", text)
    for rule in first_rules(lang):
        text = rule.apply(text, rewrites)
    if _DIGIT.search(text):
        for rule in number_rules(lang):
            text = rule.apply(text, rewrites)
    for rule in word_rules(lang):
        text = rule.apply(text, rewrites)
    return text if spaced else _BESIDE.sub("", text)


def finish(spoken: str, lang: str) -> str:
    """Drop what cannot be said and tidy the blanks and marks."""
    spoken = _REFUSED_MARK.sub(" ", spoken)
    spoken = _DASH.sub(", ", spoken)
    spoken = _EMPTY.sub(" ", spoken)
    if lang in UNSPACED:
        spoken = _BESIDE.sub("", spoken)
    spoken = _SPACE_BEFORE.sub("", " ".join(spoken.split()))
    spoken = _LEADING.sub("", _DOUBLED.sub(r"\1", spoken))
    return spoken.strip()


def with_final_mark(spoken: str, lang: str) -> str:
    """Supply the mark that ends a sentence where none stands."""
    if _ENDING.search(spoken):
        return spoken
    mark = grammar_for(lang).final_mark if lang in FULL else "."
    return _CLOSERS.sub("", spoken) + mark
