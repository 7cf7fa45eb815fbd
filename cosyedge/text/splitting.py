"""Cut a text into sentences, and sentences into pieces within a voice's bound.

Standard library only: the worker's child imports this module by itself. Every cut is lossless:
the pieces joined give the text back.
"""

import re
from collections.abc import Iterator


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words whose full stop never ends a sentence, by language; lower case, without the last stop.
ABBREVIATIONS: dict[str, frozenset[str]] = {
    "en": _words(
        "dr mr mrs ms prof st approx no nos vs e.g i.e fig dept bldg est tel ext incl excl rev ver "
        "vol gen col lt sgt capt jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed "
        "thu thur thurs fri sat temp avg min max hr a.m p.m"
    ),
    "de": _words(
        "dr hr fr prof ca nr tel str bzw ggf evtl usw mio mrd tsd stk inkl exkl max min mind bzgl "
        "abt geb vgl st sog jan feb mär apr jun jul aug sep sept okt nov dez mo di mi do fr sa so "
        "std sek temp"
    ),
}
#: Of those, the ones that may also stand last in a sentence: a capital letter then begins anew.
_MAY_END = {
    "en": _words("min max hr temp avg no sat sun mar a.m p.m"),
    "de": _words("min max temp std sek st str usw so do mi stk"),
}

_MARK = re.compile(r"[.!?。！？；…｡;]+[\"'”’」』）)\]】»›]*\s*|\s*\n\s*")
#: Said as words with blanks around them, so that a stop before one is followed by a blank.
_SIGNS = frozenset("<>=&+@±×÷≤≥≠≈$€£°%→")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
#: After these a German "3." is an ordinal and the sentence goes on.
_ORDINAL_BEFORE = re.compile(
    r"(?:\b(?:am|im|der|die|das|dem|den|des|zum|zur|vom|beim|bis|ab|seit|und|jede[rns]?|ins))\s*"
    r"(?:\d{1,2}\.?\s*(?:-|–|bis|und|\.)\s*)?\d{1,3}$",
    re.IGNORECASE,
)
_INITIAL_BEFORE = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Hr|Fr)\.?|\b[A-Za-z]\.)\s?$", re.IGNORECASE
)
ORDINAL_AFTER = re.compile(
    r"(?:[a-zäöü]|\d|Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|OG\b|UG\b|Etage|Stock|Ober|"
    r"Unter|Schicht|Gang|Halle|Platz|Stufe|Klasse|Quartal|Mal\b|Tag\b|Woche)"
)
_COMMA = re.compile(r"[，、,:：；;—–](?!\d)\s*")
_BLANK = re.compile(r"\s+")


def split(text: str, lang: str, max_chars: int) -> list[str]:
    """Cut into pieces of at most ``max_chars`` characters (at least 1), none lost, none empty."""
    bound = max(1, max_chars)
    return [piece for sentence in sentences(text, lang) for piece in _within(sentence, bound)]


def sentences(text: str, lang: str) -> list[str]:
    """Cut after each sentence's last mark and the blanks that follow it, whatever the length."""
    pieces, begin = [], 0
    for match in _MARK.finditer(text):
        end = match.end()
        if end < len(text) and _ends_sentence(text, begin, match, lang):
            pieces.append(text[begin:end])
            begin = end
    if begin < len(text):
        pieces.append(text[begin:])
    return pieces


def weight(piece: str) -> int:
    """Give about how long a piece takes to say, in Latin characters."""
    # One character of Chinese, Japanese or Korean is about as long to say as three Latin ones.
    return sum(3 if char > "\u2e80" else 1 for char in piece.strip())


def _ends_sentence(text: str, begin: int, match: re.Match[str], lang: str) -> bool:
    mark = match[0]
    following = text[match.end()]
    if mark[0] in "!?。！？；…｡" or "\n" in mark:
        return following != "="
    if ";" in mark:
        return True
    if not mark[-1].isspace():
        # "3.5", "ha.local" and "e.g." go on; a stop before Chinese or a quote's end is an end.
        return mark[-1] != "." or following > "\u2e80" or following in _SIGNS
    if mark.startswith("..") or mark.rstrip()[-1] != ".":
        return True
    return not _goes_on(
        text[max(begin, match.start() - 40) : match.start()],
        text[match.end() : match.end() + 12],
        lang,
    )


def _goes_on(before: str, after: str, lang: str) -> bool:
    """Tell whether the full stop between the two belongs to an abbreviation or an ordinal."""
    if before.strip().isdigit() and len(before.strip()) < 3:
        return True  # "1. Open the door": an item of a list
    if lang == "de" and before[-1:].isdigit():
        return bool(_ORDINAL_BEFORE.search(before) or ORDINAL_AFTER.match(after))
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    name = word[0].lower()
    if lang == "de" and (name.endswith(("str", "nr")) or name in ("z", "d", "u", "v")):
        return True
    table = lang if lang in ABBREVIATIONS else "en"
    if name in ABBREVIATIONS[table]:
        return name not in _MAY_END[table] or not after[:1].isupper()
    return len(name) == 1 and bool(_INITIAL_BEFORE.search(before[: word.start()]))


def _within(sentence: str, bound: int) -> Iterator[str]:
    while len(sentence) > bound:
        cut = _cut(sentence, bound)
        yield sentence[:cut]
        sentence = sentence[cut:]
    if sentence:
        yield sentence


def _cut(sentence: str, bound: int) -> int:
    window = sentence[: bound + 1]
    for pattern in (_COMMA, _BLANK):
        ends = [match.end() for match in pattern.finditer(window) if match.end() <= bound]
        if ends:
            return ends[-1]
    cut = bound
    # A combining mark stays with its base, unless a base carries a whole piece of them.
    while cut > 1 and "\u0300" <= sentence[cut] <= "\u036f":
        cut -= 1
    return cut if cut > 1 else bound
