"""Read a text: clean it, cut it into sentences, and say each in its language's words."""

import re
from dataclasses import dataclass, replace

from cosyedge.core.errors import Refusal
from cosyedge.core.utterance import Utterance
from cosyedge.text import availability
from cosyedge.text.cleaning import bounded, clean, visible
from cosyedge.text.languages import FULL, NOT_AVAILABLE, UNSPACED
from cosyedge.text.markup import chunks
from cosyedge.text.options import Reading, ReadingOptions, Rewrite
from cosyedge.text.scripts import (
    Segment,
    holds_kana,
    language_code,
    segments,
    sentence_language,
)
from cosyedge.text.speaking import finish, say, with_final_mark
from cosyedge.text.spelling import joined
from cosyedge.text.splitting import sentences, split, weight

_SPEAKABLE = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Notes:
    """What a reading notes on its way: warning codes and rewritings."""

    warnings: list[str]
    rewrites: list[Rewrite]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A sentence on its way to an utterance; ``spoken`` has no final mark yet."""

    text: str
    spoken: str
    lang: str
    pause_before_s: float = 0.0


def read(text: str, options: ReadingOptions) -> Reading:
    """Give the utterances of ``text``.

    Raises Refusal: empty_text, nothing_speakable, too_long, unsupported_language, and
    unavailable_value when ``options.unavailable`` is ``refuse``.
    """
    lang = _asked_language(options)
    raw = visible(bounded(text, options.text_max_chars))
    found, broken = chunks(raw, options.markup == "ssml")
    notes = Notes(["invalid_value"] if broken else [], [])
    drafts: list[_Draft] = []
    for part, pause_s in joined(found, lang, options):
        drafts += _drafts(clean(part), pause_s, lang, options, notes)
    if not drafts:
        raise Refusal("nothing_speakable", "the text holds no word")
    utterances = [
        utterance for draft in _merged(drafts, options) for utterance in _utterances(draft, options)
    ]
    return Reading(tuple(utterances), tuple(dict.fromkeys(notes.warnings)), tuple(notes.rewrites))


def _asked_language(options: ReadingOptions) -> str:
    if options.lang == "auto":
        return "auto"
    lang = language_code(options.lang)
    if not _speaks(lang, options):
        raise _unsupported(lang)
    return lang


def _speaks(lang: str, options: ReadingOptions) -> bool:
    return not options.languages or lang in {language_code(code) for code in options.languages}


def _unsupported(lang: str) -> Refusal:
    return Refusal("unsupported_language", f"the voice does not speak {lang}", field="lang")


def _drafts(
    text: str, pause_s: float, lang: str, options: ReadingOptions, notes: Notes
) -> list[_Draft]:
    japanese = holds_kana(text)
    cut_lang = language_code(options.latin_default) if lang == "auto" else lang
    drafts: list[_Draft] = []
    for sentence in sentences(text, cut_lang):
        own = _own_language(sentence, options, japanese) if lang == "auto" else lang
        for draft in _sentence(sentence, own, lang == "auto", options, notes):
            if not _SPEAKABLE.search(draft.spoken):
                continue
            if not _speaks(draft.lang, options):
                raise _unsupported(draft.lang)
            drafts.append(draft if drafts else replace(draft, pause_before_s=pause_s))
    return drafts


def _own_language(sentence: str, options: ReadingOptions, japanese: bool) -> str:
    """Tell a sentence's language; of a mixed one, a language that the voice speaks."""
    lang = sentence_language(sentence, options, japanese)
    if _speaks(lang, options):
        return lang
    others = (part.lang for part in segments(sentence, lang, options))
    return next((other for other in others if _speaks(other, options)), lang)


def _sentence(
    sentence: str, lang: str, is_auto: bool, options: ReadingOptions, notes: Notes
) -> list[_Draft]:
    """Say one sentence; in ``auto`` each longer stretch of a language is a draft of its own."""
    told = _available(_replaced(sentence, lang, options, notes), lang, options, notes)
    parts = segments(told, lang, options)
    if not options.reads_numbers and any(map(_has_unread_figures, parts)):
        notes.warnings.append("figures_unread")
    if not is_auto or len(parts) == 1 or not all(_stands_alone(part, options) for part in parts):
        own = parts[0].lang if is_auto and len(parts) == 1 else lang
        spoken = "".join(_said(part, notes) for part in parts)
        return [_Draft(sentence, finish(spoken, own), own)]
    return [_Draft(part.text, finish(_said(part, notes), part.lang), part.lang) for part in parts]


def _has_unread_figures(part: Segment) -> bool:
    return part.lang not in FULL and any(map(str.isdecimal, part.text))


def _stands_alone(part: Segment, options: ReadingOptions) -> bool:
    return weight(part.text) >= options.min_chars and _speaks(part.lang, options)


def _said(part: Segment, notes: Notes) -> str:
    return say(part, notes.rewrites)


def _replaced(sentence: str, lang: str, options: ReadingOptions, notes: Notes) -> str:
    text, done = options.lexicon.replace(sentence, lang)
    notes.rewrites.extend(Rewrite(before, after, "lexicon") for before, after in done)
    return text


def _available(sentence: str, lang: str, options: ReadingOptions, notes: Notes) -> str:
    word = availability.find(sentence, lang)
    if word is None:
        return sentence
    if options.unavailable == "refuse":
        raise Refusal("unavailable_value", f"the text holds {word!r} where a value should stand")
    notes.warnings.append("unavailable_value")
    words = NOT_AVAILABLE.get(lang, "") if options.unavailable == "replace" else ""
    text, done = availability.replace(sentence, lang, words)
    notes.rewrites.extend(Rewrite(before, after, "unavailable") for before, after in done)
    return text


def _merged(drafts: list[_Draft], options: ReadingOptions) -> list[_Draft]:
    """Join very short sentences of one language with their neighbour, within the bound."""
    merged: list[_Draft] = []
    for draft in drafts:
        spoken = with_final_mark(draft.spoken, draft.lang)
        last = merged[-1] if merged else None
        if last and _joins(last, draft, options):
            gap = " " if last.spoken[-1].isascii() and spoken[0].isascii() else ""
            gap = gap if last.lang in UNSPACED else " "
            merged[-1] = replace(
                last, text=last.text + draft.text, spoken=last.spoken + gap + spoken
            )
        else:
            merged.append(replace(draft, spoken=spoken))
    return merged


def _joins(last: _Draft, draft: _Draft, options: ReadingOptions) -> bool:
    short = min(weight(last.spoken), weight(draft.spoken)) < options.min_chars
    fits = len(last.spoken) + len(draft.spoken) + 2 <= options.bound(last.lang)
    return short and fits and last.lang == draft.lang and not draft.pause_before_s


def _utterances(draft: _Draft, options: ReadingOptions) -> list[Utterance]:
    """Cut what exceeds the bound; the first piece carries the text and the pause."""
    pieces = split(draft.spoken, draft.lang, options.bound(draft.lang))
    whole = len(draft.spoken) <= options.bound(draft.lang)
    said = [draft.spoken] if whole else [piece.strip() for piece in pieces]
    return [
        Utterance(
            draft.text if index == 0 else "",
            piece,
            draft.lang,
            draft.pause_before_s if index == 0 else 0.0,
            options.lexicon.pronounce(piece, draft.lang),
        )
        for index, piece in enumerate(said)
        if _SPEAKABLE.search(piece)
    ]
