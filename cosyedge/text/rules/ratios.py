"""What only looks like a time of day: scores, ratios and durations."""

import re

from cosyedge.text.grammar import Grammar
from cosyedge.text.numerals import Number
from cosyedge.text.rules.rule import Rule, before

_DURATION_WORDS = re.compile(
    r"(?:remaining|left|duration|elapsed|timer|runtime|uptime|countdown|time to go|"
    r"Restzeit|Laufzeit|Dauer|verbleibend|剩余|剩餘|用时|用時|耗时|时长|倒计时|倒數|"
    r"残り|所要時間|경과|남은 시간|소요 시간)\W{0,3}(?:time|时间|時間)?\W{0,3}"
    r"(?:is|ist|は|이|은)?\W{0,3}$",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:[01]?\d|2[0-4])[:：][0-5]\d")
#: What stands behind hours and minutes that are still to go.
_LEFT = r"\s(?:remaining|left\b|to go|verbleib|übrig|남음)"


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules that run before times: a word beside the figures decides."""
    ratio_words = re.compile(
        rf"(?:{grammar.ratio_words})[^\d.!?。！？]{{0,16}}(?:(?P<first>\d+:\d+)\D{{1,5}})?$",
        re.IGNORECASE,
    )

    def ratio(match: re.Match[str]) -> str | None:
        told = ratio_words.search(before(match))
        # 比分3:2，10:05开始: behind a score that is no time of day stands one that is.
        first = told["first"] if told else None
        if first and _CLOCK.fullmatch(match[0]) and not _CLOCK.fullmatch(first):
            return None
        return grammar.ratio(re.split(r"\s?[:：]\s?", match[0])) if told else None

    def duration(match: re.Match[str]) -> str | None:
        told = _DURATION_WORDS.search(before(match))
        return _duration(grammar, match.groups()) if told else None

    ratios = re.compile(r"(?<![\d:.,])\d{1,4}(?:\s?[:：]\s?\d{1,4}){1,2}(?![:\d])")
    full = re.compile(r"(?<![\d:])(\d{1,3}):([0-5]\d):([0-5]\d)(?![:\d])")
    left = re.compile(rf"(?<![\d:])(\d{{1,3}}):([0-5]\d)(?![:\d])(?={_LEFT})")
    return [
        Rule("ratio", ratios, ratio, ":："),
        Rule("duration", full, duration, ":"),
        Rule("duration", left, lambda m: _duration(grammar, m.groups()), ":"),
        Rule("duration", re.compile(r"(?<![\d:])(0):([0-5]\d)(?![:\d])"), duration, ":"),
    ]


def last_rules(grammar: Grammar) -> list[Rule]:
    """Give the rule that runs after times: what can be none is a score."""
    ratios = re.compile(r"(?<![\d:.,])\d{1,4}(?:[:：]\d{1,4}){1,2}(?![:\d])")
    return [Rule("ratio", ratios, lambda m: grammar.ratio(re.split("[:：]", m[0])), ":：")]


def _duration(grammar: Grammar, groups: tuple[str | None, ...]) -> str | None:
    parts = []
    for symbol, value in zip(("h", "min", "s"), groups, strict=False):
        unit = grammar.units.find(symbol)
        if value and int(value) and unit:
            parts.append(grammar.measure([Number(str(int(value)))], unit))
    return (" " if grammar.spaced else "").join(parts) or None
