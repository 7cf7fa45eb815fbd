"""Clock times, ranges of them, durations, and what only looks like a time: scores and ratios."""

import re

from cosyedge.text.grammar import Clock, Grammar
from cosyedge.text.numerals import DASH, LATIN, Number
from cosyedge.text.rules.rule import Rule, before

_ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
_TIME = (
    r"(?:([AaPp])[Mm]\s?)?(?<![\d:.,])([01]?\d|2[0-4])[:：]([0-5]\d)"
    rf"(?:[:：]([0-5]\d)(?:[.,]\d{{1,6}})?{_ZONE})?(?![:\d])"
)
_HALF = r"(?:\s?([ap])\.?m(?:\.(?=\s?[a-z,]|$)|(?![a-z])))"
_HALF_UPPER = r"(?:\s?([AP])M(?![A-Za-z]))"
_DURATION_WORDS = re.compile(
    r"(?:remaining|left|duration|elapsed|timer|runtime|uptime|countdown|time to go|"
    r"Restzeit|Laufzeit|Dauer|verbleibend|剩余|剩餘|用时|用時|耗时|时长|倒计时|倒數|"
    r"残り|所要時間|경과|남은 시간|소요 시간)\W{0,3}(?:is|时间|時間|ist)?\W{0,3}$",
    re.IGNORECASE,
)


#: What stands behind hours and minutes that are still to go.
_LEFT = r"\s(?:remaining|left\b|to go|verbleib|übrig|남음)"


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for times; a ratio's word in front decides before the figures do."""
    # "um 10:05 am Montag": in German only capitals are a half of the day.
    half = _HALF_UPPER if grammar.code == "de" else f"(?i:{_HALF})"
    suffix = r"(?:\s?(?:Uhr|h)(?![a-zäöü]))?" if grammar.code == "de" else ""
    ratio_words = re.compile(
        rf"(?:{grammar.ratio_words})[^\d.!?。！？]{{0,16}}(?:\d+:\d+\D{{1,5}})?$", re.IGNORECASE
    )

    def ratio(match: re.Match[str]) -> str | None:
        if not ratio_words.search(before(match)):
            return None
        return grammar.ratio(re.split(r"\s?[:：]\s?", match[0]))

    def duration(match: re.Match[str]) -> str | None:
        if not _DURATION_WORDS.search(before(match)):
            return None
        return _say_duration(grammar, match.groups())

    def minutes(match: re.Match[str]) -> str | None:
        if not _DURATION_WORDS.search(before(match)):
            return None
        return _say_duration(grammar, ("0", match[1], None))

    ratios = re.compile(r"(?<![\d:.,])\d{1,4}(?:\s?[:：]\s?\d{1,4}){1,2}(?![:\d])")
    clock = f"{_TIME}{half}?{suffix}"
    hour = rf"(?<![\d:.,{LATIN}])(1[0-2]|0?[1-9])"
    return [
        Rule("ratio", ratios, ratio, ":："),
        Rule(
            "duration",
            re.compile(r"(?<![\d:])(\d{1,3}):([0-5]\d):([0-5]\d)(?![:\d])"),
            duration,
            ":",
        ),
        Rule(
            "duration",
            re.compile(rf"(?<![\d:])(\d{{1,3}}):([0-5]\d)(?![:\d])(?={_LEFT})"),
            lambda m: _say_duration(grammar, (m[1], m[2], None)),
            ":",
        ),
        Rule("duration", re.compile(r"(?<![\d:])0:([0-5]\d)(?![:\d])"), minutes, ":"),
        Rule(
            "time range",
            re.compile(f"{clock}{DASH}{clock}"),
            lambda m: _range(grammar, m),
            ":：",
        ),
        Rule(
            "time range",
            re.compile(rf"(?<![\d:.,])(\d{{1,2}}:[0-5]\d{half}?){DASH}(?=\d{{1,2}}{half})"),
            lambda m: m[1] + grammar.to,
            ":",
        ),
        Rule("time", re.compile(clock), lambda m: grammar.clock(_clock(m.groups())), ":："),
        Rule(
            "time range",
            re.compile(rf"{hour}(?:{half})?{DASH}(1[0-2]|0?[1-9])(?::([0-5]\d))?{half}"),
            lambda m: _hour_range(grammar, m),
            "mM",
        ),
        Rule(
            "time",
            re.compile(f"{hour}{half}"),
            lambda m: grammar.clock(Clock(int(m[1]), 0, None, _half(m[2]))),
            "mM",
        ),
        *(_german_times(grammar) if grammar.code == "de" else ()),
        Rule(
            "ratio",
            re.compile(r"(?<![\d:.,])\d{1,4}(?:[:：]\d{1,4}){1,2}(?![:\d])"),
            lambda m: grammar.ratio(re.split("[:：]", m[0])),
            ":：",
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


def _say_duration(grammar: Grammar, groups: tuple[str | None, ...]) -> str | None:
    parts = []
    for symbol, value in zip(("h", "min", "s"), groups, strict=True):
        unit = grammar.units.find(symbol)
        if value and int(value) and unit:
            parts.append(grammar.measure([Number(str(int(value)))], unit))
    return (" " if grammar.spaced else "").join(parts) or None


def _german_times(grammar: Grammar) -> list[Rule]:
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
