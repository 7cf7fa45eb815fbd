"""Tell the language of a sentence by its script, and cut a mixed one into segments."""

import re
from dataclasses import dataclass

from cosyedge.core.errors import Refusal
from cosyedge.text.options import ReadingOptions
from cosyedge.text.units import is_symbol

_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_ALIASES = {
    "cmn": "zh", "zho": "zh", "chi": "zh", "jp": "ja", "jpn": "ja", "kor": "ko", "eng": "en",
    "deu": "de", "ger": "de",
}  # fmt: skip
_CANTONESE = re.compile(r"zh[-_](?:hant[-_])?(?:hk|yue|mo)|yue.*", re.IGNORECASE)

KANA = "\u3041-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_LETTER = f"{KANA}{HANGUL}{HAN}"
_CJK_MARK = "\u3001-\u3004\u3008-\u301f\uff00-\uff65"
_STRETCH = re.compile(f"[{_CJK_LETTER}{_CJK_MARK}]+|[^{_CJK_LETTER}{_CJK_MARK}]+")
_CJK = re.compile(f"[{_CJK_LETTER}]")
_KANA = re.compile(f"[{KANA}]")
_HANGUL = re.compile(f"[{HANGUL}]")
_WORD = re.compile(r"(?<![^\W_])[A-Za-zÀ-ɏ]*[a-zß-ɏ]{2,}(?![^\W\d_])(?!\d)")
_LATIN = re.compile(r"[^\W\d_]")
#: Scripts without a reader, by the language that is spoken most in them.
_OTHERS = {
    "ru": re.compile("[\u0400-\u052f]"),
    "el": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "ar": re.compile("[\u0600-\u06ff\u0750-\u077f]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
_CJK_LANGS = frozenset({"zh", "yue", "ja", "ko"})


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one language inside a sentence."""

    lang: str
    text: str


def language_code(written: str) -> str:
    """Give the reader's code of a language as written: zh-CN → zh, zh-HK → yue.

    Raises Refusal unsupported_language for what is no language code.
    """
    if not _CODE.fullmatch(written):
        raise Refusal("unsupported_language", f"{written[:32]!r} is no language code", field="lang")
    if _CANTONESE.fullmatch(written):
        return "yue"
    base = re.split("[-_]", written)[0].lower()
    return _ALIASES.get(base, base)


def holds_kana(text: str) -> bool:
    """Tell whether a text is Japanese by its script."""
    return bool(_KANA.search(text))


def sentence_language(sentence: str, options: ReadingOptions, japanese: bool) -> str:
    """Tell the language of a sentence by its script; ``japanese``: the text around it has kana."""
    letters = len(_CJK.findall(sentence))
    other = _other_language(sentence)
    if other is not None:
        return other
    if letters == 0 or letters < 2 * len(_WORD.findall(sentence)):
        return language_code(options.latin_default)
    return _cjk_language(sentence, "ja" if japanese else language_code(options.han_default))


def _other_language(sentence: str) -> str | None:
    """The language that stands for a script which no reader of ours knows, if most is in it."""
    counts = {lang: len(letters.findall(sentence)) for lang, letters in _OTHERS.items()}
    lang = max(counts, key=lambda code: counts[code])
    # A lone letter is a unit or a name: 5 Ω.
    most = max(2, len(_LATIN.findall(sentence)) // 2)
    return lang if counts[lang] > most else None


def segments(sentence: str, lang: str, options: ReadingOptions) -> list[Segment]:
    """Cut a sentence of ``lang`` into stretches, each read in its own language's words."""
    latin = lang if lang not in _CJK_LANGS else language_code(options.latin_default)
    if latin in _CJK_LANGS:
        latin = "en"
    if not _CJK.search(sentence):
        english = lang not in _CJK_LANGS or _is_latin_text(sentence)
        return [Segment(latin if english else lang, sentence)]
    han = lang if lang in _CJK_LANGS else language_code(options.han_default)
    if lang in _CJK_LANGS and not _is_latin_text(sentence):
        return [Segment(_cjk_language(sentence, han), sentence)]
    return [
        Segment(_cjk_language(text, han) if cjk else latin, text)
        for cjk, text in _stretches(sentence, lang in _CJK_LANGS)
    ]


def _is_latin_text(text: str) -> bool:
    """Tell words from names and units: two words of lower case make a text."""
    words = [word for word in _WORD.findall(text) if not is_symbol(word)]
    return len(words) >= 2


def _cjk_language(text: str, han: str) -> str:
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    return "zh" if han == "ko" else han


def _stretches(sentence: str, cjk_leads: bool) -> list[tuple[bool, str]]:
    """Give (is Chinese, Japanese or Korean, text); figures go with the words they touch."""
    marked: list[tuple[bool, str]] = []
    parts = _STRETCH.findall(sentence)
    for index, part in enumerate(parts):
        if _CJK.search(part):
            cjk = True
        elif not _LATIN.search(part):
            inside = bool(marked) and marked[-1][0] and _cjk_follows(parts, index)
            cjk = inside or (cjk_leads if not marked else marked[-1][0])
            if part[-1].isdigit() and _cjk_follows(parts, index):
                cjk = True
        else:
            cjk = cjk_leads and not _is_latin_text(part)
            if not cjk and _cjk_follows(parts, index):
                head, tail = _touching(part)
                _add(marked, cjk, head)
                cjk, part = True, tail
        _add(marked, cjk, part)
    return marked


def _cjk_follows(parts: list[str], index: int) -> bool:
    return index + 1 < len(parts) and bool(_CJK.match(parts[index + 1]))


def _touching(part: str) -> tuple[str, str]:
    """Cut off the figures that touch the Chinese, Japanese or Korean word after them."""
    head = part.rstrip("0123456789.,:")
    return head, part[len(head) :]


def _add(marked: list[tuple[bool, str]], cjk: bool, text: str) -> None:
    if not text:
        return
    if marked and marked[-1][0] == cjk:
        marked[-1] = (cjk, marked[-1][1] + text)
    else:
        marked.append((cjk, text))
