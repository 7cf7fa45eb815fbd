"""Clock times and ranges of them."""

import re

from cosyedge.text.grammar import Clock, Grammar
from cosyedge.text.numerals import DASH, LATIN
from cosyedge.text.rules.rule import Rule

_ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
_TIME = (
    r"(?:([AaPp])[Mm]\s?)?(?<![\d:.,])([01]?\d|2[0-4])[:：]([0-5]\d)"
    rf"(?:[:：]([0-5]\d)(?:[.,]\d{{1,6}})?{_ZONE})?(?![:\d])"
)
_HALF = r"(?:\s?([ap])\.?m(?:\.(?=\s?[a-z,]|$)|(?![a-z])))"
_HALF_UPPER = r"(?:\s?([AP])M(?![A-Za-z]))"
#: Words that the time already says.
_SUFFIXES = {
    "en": r"(?:\s?o'clock)?",
    "de": r"(?:\s?(?:Uhr|h)(?![a-zäöü]))?",
    "zh": r"(?:\s?[点分](?!钟))?",
    "yue": r"(?:\s?[點分](?!鐘))?",
    "ja": r"(?:\s?[時分](?!間))?",
    "ko": r"(?:\s?(?:시|분)(?!간))?",
}


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for times, ranges first."""
    # "um 10:05 am Montag": in German only capitals are a half of the day.
    half = _HALF_UPPER if grammar.code == "de" else f"(?i:{_HALF})"
    suffix = _SUFFIXES.get(grammar.code, "")
    clock = f"{_TIME}{half}?{suffix}"
    mixed = rf"(?<![\d:.,])(\d{{1,2}}:[0-5]\d{half}?){DASH}(?=\d{{1,2}}{half})"
    return [
        Rule(
            "time range",
            re.compile(f"{clock}{DASH}{clock}"),
            lambda m: _range(grammar, m),
            ":：",
        ),
        Rule("time range", re.compile(mixed), lambda m: m[1] + grammar.to, ":"),
        Rule("time", re.compile(clock), lambda m: grammar.clock(_clock(m.groups())), ":："),
        *_hours(grammar, half),
        *(_german_hours(grammar) if grammar.code == "de" else ()),
    ]


def _hours(grammar: Grammar, half: str) -> list[Rule]:
    hour = rf"(?<![\d:.,{LATIN}])(1[0-2]|0?[1-9])"
    span = rf"{hour}(?:{half})?{DASH}(1[0-2]|0?[1-9])(?::([0-5]\d))?{half}"
    return [
        Rule("time range", re.compile(span), lambda m: _hour_range(grammar, m), "mM"),
        Rule(
            "time",
            re.compile(f"{hour}{half}"),
            lambda m: grammar.clock(Clock(int(m[1]), 0, None, _half(m[2]))),
            "mM",
        ),
    ]


def _half(letter: str | None) -> str:
    return f"{letter.lower()}m" if letter else ""


def _clock(groups: tuple[str | None, ...], half: str = "") -> Clock:
    leading, hour, minute, second, trailing = groups
    return Clock(
        int(hour or 0),
        int(minute or 0),
        int(second) if second else None,
        _half(trailing or leading) or half,
    )


def _range(grammar: Grammar, match: re.Match[str]) -> str:
    last = _clock(match.groups()[5:])
    return grammar.clock(_clock(match.groups()[:5])) + grammar.to + grammar.clock(last)


def _hour_range(grammar: Grammar, match: re.Match[str]) -> str:
    last = grammar.clock(Clock(int(match[3]), int(match[4] or 0), None, _half(match[5])))
    if match[2]:
        return grammar.clock(Clock(int(match[1]), 0, None, _half(match[2]))) + grammar.to + last
    return grammar.cardinal(match[1].lstrip("0")) + grammar.to + last


def _german_hours(grammar: Grammar) -> list[Rule]:
    uhr = r"\s?Uhr(?![a-zäöü])"
    hour = r"([01]?\d|2[0-4])"

    def hours(match: re.Match[str]) -> str:
        first = grammar.clock(Clock(int(match[1]), 0)).removesuffix(" Uhr")
        return first + grammar.to + grammar.clock(Clock(int(match[2]), 0))

    return [
        Rule("time range", re.compile(rf"(?<![\d.,:]){hour}{DASH}{hour}{uhr}"), hours, "U"),
        Rule(
            "time",
            re.compile(rf"(?<![\d.,])([01]?\d|2[0-4])\.([0-5]\d){uhr}"),
            lambda m: grammar.clock(Clock(int(m[1]), int(m[2]))),
            "U",
        ),
        Rule(
            "time",
            re.compile(rf"(?<![\d.,:])([01]?\d|2[0-4]){uhr}"),
            lambda m: grammar.clock(Clock(int(m[1]), 0)),
            "U",
        ),
    ]
