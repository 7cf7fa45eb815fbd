"""What German asks for: inflected ordinals and one, hours with Uhr, years before 2000."""

import re

from cosyedge.text.cardinals import spell
from cosyedge.text.languages.de import German
from cosyedge.text.languages.de_nouns import gender, one
from cosyedge.text.numerals import DASH
from cosyedge.text.rules.rule import Rule, after, before
from cosyedge.text.splitting import ORDINAL_AFTER

_NOUN = re.compile(r"\s*(?:[a-zäöüß]+\s){0,2}([A-ZÄÖÜ][\wäöüß]*)")
_DAYS = {
    "Mo": "Montag", "Di": "Dienstag", "Mi": "Mittwoch", "Do": "Donnerstag", "Fr": "Freitag",
    "Sa": "Samstag", "So": "Sonntag",
}  # fmt: skip
#: Words that may stand with a capital before a count: at a sentence's beginning.
_OPENERS = frozenset({
    "Noch", "Nur", "In", "Um", "Es", "Alle", "Bitte", "Seit", "Vor", "Nach", "Mit", "Für", "Bei",
    "Von", "Ab", "Pro", "Etwa", "Circa", "Und", "Oder", "Ist", "Wird", "Mindestens", "Maximal",
    "Insgesamt", "Genau", "Jetzt", "Erst", "Heute", "Aktuell", "Über", "Unter", "Sie", "Ihnen",
})  # fmt: skip


def first_rules(grammar: German) -> list[Rule]:
    """Give the rules that run before all others: thousands set apart by a blank."""
    del grammar
    groups = r"(?<![\d.,+/-])(?<!\d )([1-9]\d{0,2})((?: \d{3})+)(?=,\d|\s?[A-Za-zÄÖÜäöü€%°])"
    return [Rule("thousands", re.compile(groups), lambda m: m[0].replace(" ", ""), " ")]


def rules(grammar: German) -> list[Rule]:
    """Give the rules that run before measures."""
    ordinal = r"(?<![\d.,:/A-Za-z-])(\d{1,3})\."
    return [
        Rule("telephone", re.compile(r"(?<![\d.,-])(1\d\d)(?=\s(?:an\b|anrufen|wählen))"),
             lambda m: grammar.digits(m[1]), "1"),
        Rule("times", re.compile(r"(?<![\d.,A-Za-z-])(\d{1,3})[x×](?![A-Za-z0-9])(?!\s?\d)"),
             lambda m: ("ein" if m[1] == "1" else grammar.cardinal(m[1])) + "mal", "x×"),
        Rule("ordinal",
             re.compile(
                 rf"{ordinal}(?:{DASH}|\s(und|oder|bis)\s)(\d{{1,3}})\.(?=\s[A-Za-zÄÖÜäöü])"
             ),
             lambda m: _ordinals(grammar, m), "."),
        Rule("ordinal", re.compile(rf"{ordinal}(?=\s[A-Za-zÄÖÜäöü(])"),
             lambda m: _ordinal(grammar, m), "."),
        Rule("ordinal", re.compile(r"(?<=\b(?:am|im) )(\d{1,2})\.(?=\s?$)"),
             lambda m: spell("de", int(m[1]), "ordinal") + "n.", "."),
        Rule("year",
             re.compile(
                 r"(?P<word>\b(?:Jahre?s?|seit|von|bis|Baujahr|Sommer|Winter)\s)(?P<year>1[1-9]\d\d)"
                 r"(?![\d:%]|[.,]\d|\s[a-zA-Z°%])"
             ),
             lambda m: m["word"] + grammar.year(m["year"])),
    ]  # fmt: skip


def late_rules(grammar: German) -> list[Rule]:
    """Give the rules that run after measures and before ranges."""
    return [
        Rule("fraction", re.compile(r"(?<![\d.,:/A-Za-z-])(?<!\d )1/2(?=\s[A-ZÄÖÜ][a-zäöüß]{2,})"),
             _half, "/"),
        Rule("one", re.compile(rf"(?<![\d.,:/A-Za-z-])1(?={DASH}[2-9]\s[A-ZÄÖÜ][a-zäöüß]{{2,}})"),
             lambda m: None if _is_a_name(before(m)) else "ein", "1"),
        Rule("range", re.compile(rf"(?<=\bein){DASH}(?=[2-9]\s[A-ZÄÖÜ])"),
             lambda _: grammar.to, "-–—~"),
        Rule("one", re.compile(r"(?<![\d.,:/A-Za-z-])1(?=\s[A-ZÄÖÜ][a-zäöüß]{2,})"),
             lambda m: _one(m), "1"),
        Rule("one", re.compile(r"(?<![\d.,:/A-Za-z-])1(?=\s[a-zäöüß]{2,}(e|en|er|es)\s[A-ZÄÖÜ])"),
             lambda m: _one_adjective(m), "1"),
    ]  # fmt: skip


def word_rules(grammar: German) -> list[Rule]:
    """Give the rules for texts with or without figures."""
    day = f"({'|'.join((*_DAYS, *_DAYS.values()))})"
    return [
        Rule("range", re.compile(rf"(?<![A-Za-z]){day}\.?{DASH}{day}(?![a-zäöü])"),
             lambda m: f"{_DAYS.get(m[1], m[1])}{grammar.to}{_DAYS.get(m[2], m[2])}", "-–—~"),
        Rule("abbreviation", re.compile(r"(?<=[a-zäöüß])str\.(?=\s)"), lambda _: "straße", "."),
        Rule("abbreviation", re.compile(r"(?<=[a-zäöüß])nr\.(?=\s)"), lambda _: "nummer", "."),
    ]  # fmt: skip


def _gender(behind: str) -> str:
    noun = _NOUN.match(behind)
    if noun is None:
        return "m"
    return gender(noun[1])


def _ordinal(grammar: German, match: re.Match[str]) -> str | None:
    front, behind = before(match), after(match)
    if not front.strip() and not ORDINAL_AFTER.match(behind.lstrip()):
        return None  # an item of a list
    return grammar.ordinal(match[1], front, _gender(behind))


def _ordinals(grammar: German, match: re.Match[str]) -> str:
    noun_gender = _gender(after(match))
    first, last = (grammar.ordinal(match[i], before(match), noun_gender) for i in (1, 3))
    return f"{first} {match[2] or 'bis'} {last}"


def _is_a_name(front: str) -> bool:
    """Tell whether the number names the noun before it: Pumpe 1, Halle 1."""
    word = re.search(r"([\wäöüß]+)\s$", front)
    return bool(word and word[1][:1].isupper() and word[1] not in _OPENERS)


def _one(match: re.Match[str]) -> str | None:
    front = before(match)
    if _is_a_name(front):
        return None
    noun = _NOUN.match(after(match))
    if noun is None or noun[1] == "Uhr":
        return "ein"
    return one(gender(noun[1]), front)


def _half(match: re.Match[str]) -> str:
    noun_gender = _gender(after(match))
    article = one(noun_gender, before(match))
    ending = {"m": "r", "f": "", "n": "s"}[noun_gender] if article in ("ein", "eine") else "n"
    return f"{article} halbe{ending}"


def _one_adjective(match: re.Match[str]) -> str | None:
    front = before(match)
    if _is_a_name(front):
        return None
    if match[1] == "e":
        return "eine"
    return one("m", front) if match[1] == "en" else "ein"
