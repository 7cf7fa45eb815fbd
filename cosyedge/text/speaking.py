"""Say one segment in its language's words, and finish it for the engine."""

import re

from cosyedge.text.cleaning import MARKS
from cosyedge.text.languages import FULL, UNSPACED, grammar_for
from cosyedge.text.options import Rewrite
from cosyedge.text.rules import first_rules, number_rules, word_rules
from cosyedge.text.scripts import Segment

_CJK = "\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_BETWEEN = re.compile(rf"(?<=[{_CJK}]) +(?=[{_CJK}])")
_BESIDE = re.compile(rf"(?<=[{_CJK}]) +| +(?=[{_CJK}])")
_DIGIT = re.compile(r"\d")
#: What an engine may hear: letters, digits, and the marks that shape a sentence.
_UNSAYABLE = re.compile(rf"[^\w\s.,!?;:'。，、！？；：…—–·・¿¡{MARKS}-]|_")
_QUOTES = re.compile(r"[\"“”„‚‘«»‹›「」『』《》〈〉]|(?<![^\W\d_])'|'(?![^\W\d_])")
_BRACKETS = re.compile(r"\s?[(（【)）】\[\]{}]\s?")
#: (84%)です: an ending belongs to the word in the brackets.
_BEFORE_ENDING = re.compile(r"[)）](?=[ぁ-ん가-힣前后後的之以内內起止])")
_PAUSES = {"zh": "，", "yue": "，", "ja": "、"}
# Each run of blanks is tried from its beginning alone: 10,000 of them took 80 ms.
_DASH = re.compile(r"(?:(?<!\s)\s++)?(?:(?<!\w)[-–—]+|[-–—]{2,}|[-–—]+(?!\w))\s*")
_SPACE_BEFORE = re.compile(r"(?<!\s)\s++(?=[.,!?;:。，、！？；：])")
_DOUBLED = re.compile(r"[,;:、，；：.。!?！？…](?:\s*[,;:、，；：.。!?！？…])+")
_PAUSE_MARK = re.compile(r"[,;:、，；：\s]")
_LEADING = re.compile(r"^[\s.,;:!?、，。；：！？…·・–—-]+")
_TRAILING = re.compile(r"[\s,;:、，；：·・–—-]+$")
_ENDING = re.compile(r"[.!?。！？…]$")


def say(segment: Segment, rewrites: list[Rewrite]) -> str:
    """Give the words of a segment; a language without a reader passes as it stands."""
    lang, text = segment.lang, segment.text
    if lang not in FULL:
        return _sayable(text, lang)
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
    text = _sayable(text, lang)
    return text if spaced else _BESIDE.sub("", text)


def _sayable(text: str, lang: str) -> str:
    """Drop quotes and the signs that no rule has read; brackets become pauses."""
    pause = _PAUSES.get(lang, ", ")
    text = _BRACKETS.sub(pause, _BEFORE_ENDING.sub("", _QUOTES.sub("", text)))
    return _DASH.sub(pause, _UNSAYABLE.sub(" ", text))


def finish(spoken: str, lang: str) -> str:
    """Tidy the blanks and marks of a sentence."""
    if lang in UNSPACED:
        spoken = _BESIDE.sub("", spoken)
    spoken = _SPACE_BEFORE.sub("", " ".join(spoken.split()))
    spoken = _LEADING.sub("", _DOUBLED.sub(_strongest, spoken))
    return _TRAILING.sub("", spoken)


def _strongest(match: re.Match[str]) -> str:
    """Of a run of marks keep those that end a sentence, or else the first."""
    return _PAUSE_MARK.sub("", match[0]) or match[0][0]


def with_final_mark(spoken: str, lang: str) -> str:
    """Supply the mark that ends a sentence where none stands."""
    if _ENDING.search(spoken):
        return spoken
    return spoken + (grammar_for(lang).final_mark if lang in FULL else ".")
