"""What only English asks for: ordinals, decades, years after in and since."""

import re

from cosyedge.text.languages.en import English
from cosyedge.text.numerals import BEGIN, DASH, parse_number
from cosyedge.text.rules.rule import Rule

_DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
    "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
_DAY = "(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
_YEAR_AFTER = (
    r"(?P<word>(?i:\b(?:in|since|until|year|during|early|late|spring|summer|autumn|winter|fall|"
    r"copyright|model|version|class of|happy|new year|season|expo))\s)"
    r"(?P<year>(?:19|20)\d\d)(?![\d:]|[.,/-]\d|\s[a-z]+s\b|%)"
)


def first_rules(grammar: English) -> list[Rule]:
    """Give the rules that run before all others."""
    del grammar
    return [
        Rule("weekday", re.compile(rf"\b{_DAY}\b\.?(?=,?\s\d)"), lambda m: _DAYS[m[1][:3]]),
    ]


def rules(grammar: English) -> list[Rule]:
    """Give the rules that run before measures."""
    return [
        Rule("ordinal", re.compile(r"(?<![\d.,])(\d{1,9})(?:st|nd|rd|th)(?![A-Za-z0-9])"),
             lambda m: grammar.ordinal(m[1])),
        Rule("decade", re.compile(r"(?<!\w)'([2-9])0s\b"),
             lambda m: _decade(grammar, f"19{m[1]}").partition(" ")[2], "'"),
        Rule("decade", re.compile(r"(?<![\d.,])((?:19|20)\d)0s\b"),
             lambda m: _decade(grammar, m[1])),
        Rule("always", re.compile(r"(?<!\d)24/7(?!\d)"), lambda _: "twenty-four seven", "/"),
        Rule("year", re.compile(_YEAR_AFTER), lambda m: m["word"] + grammar.year(m["year"])),
        Rule("times",
             re.compile(rf"{BEGIN}(?:(\d{{1,3}}){DASH})?(\d{{1,3}}(?:\.\d{{1,3}})?)[x×](?![A-Za-z0-9])(?!\s?\d)"),
             lambda m: _times(grammar, m[1], m[2]), "x×"),
    ]  # fmt: skip


def late_rules(grammar: English) -> list[Rule]:
    """Give the rules that run after measures and before ranges."""
    return [
        Rule("fraction",
             re.compile(rf"{BEGIN}(?<!/)(\d{{1,2}})/(\d{{1,2}})(?=\s[a-z]{{2,}}[^s\W]s\b)"),
             lambda m: _some_of(grammar, m), "/"),
    ]  # fmt: skip


def word_rules(grammar: English) -> list[Rule]:
    """Give the rules for texts with or without figures."""
    return [
        Rule("range", re.compile(rf"\b{_DAY}\.?{DASH}{_DAY}(?![a-z])"),
             lambda m: f"{_DAYS[m[1][:3]]}{grammar.to}{_DAYS[m[2][:3]]}", "-–—~"),
    ]  # fmt: skip


def _decade(grammar: English, tens: str) -> str:
    said = grammar.year(f"{tens}0")
    return said[:-1] + "ies" if said.endswith("y") else said + "s"


def _some_of(grammar: English, match: re.Match[str]) -> str | None:
    """Say two of three pumps; a half stays one."""
    if int(match[2]) < 3 or int(match[1]) > int(match[2]):
        return None
    return grammar.cardinal(match[1]) + grammar.out_of + grammar.cardinal(match[2])


def _times(grammar: English, least: str | None, number: str) -> str:
    lead = grammar.cardinal(least) + grammar.to if least else ""
    said = grammar.number(parse_number(number, grammar.decimal_comma))
    return f"{lead}{said} time{'' if number == '1' else 's'}"
