"""Dates in figures, ISO and local, and ranges of them."""

import re

from cosyedge.text.grammar import Date, Grammar
from cosyedge.text.numerals import DASH
from cosyedge.text.rules.rule import Rule, before

_YEAR = r"(?:19|20|21)\d\d"
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ISO = rf"({_YEAR})([-/.])({_MONTH})\{{}}({_DAY})(?!\d)"
#: Month first in American English; everywhere else the day leads.
_MONTH_FIRST = frozenset({"en"})
_DATE_WORDS = re.compile(
    r"(?:\b(?:on|by|until|due|since|before|after|from|till|date:?|for)|日期|于|在|自|截至|至)\s?$",
    re.IGNORECASE,
)


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for dates in figures."""
    return [*_year_first(grammar), *_year_last(grammar)]


def _year_first(grammar: Grammar) -> list[Rule]:
    def span(match: re.Match[str]) -> str:
        first = Date(int(match[3]), int(match[4]), match[1], before(match))
        return grammar.date_range(first, Date(int(match[7]), int(match[8]), match[5]))

    def date(match: re.Match[str]) -> str:
        said = grammar.date(Date(int(match[3]), int(match[4]), match[1], before(match)))
        return f"{said} " if match[0].endswith("T") else said

    begin = r"(?<![\d.\-/])"
    month = re.compile(rf"{begin}(20\d\d)/(0[1-9]|1[0-2])(?![\d/])")
    return [
        Rule(
            "date range", re.compile(rf"{begin}{_ISO.format(2)}{DASH}{_ISO.format(6)}"), span, "-/."
        ),
        Rule("date", re.compile(rf"{begin}{_ISO.format(2)}(?:T(?=\d\d:))?"), date, "-/."),
        Rule("date", month, lambda m: grammar.date(Date(int(m[2]), 0, m[1])), "/"),
    ]


def _year_last(grammar: Grammar) -> list[Rule]:
    def dotted(match: re.Match[str]) -> str:
        return grammar.date(Date(int(match[2]), int(match[1]), match[3], before(match)))

    def bare(match: re.Match[str]) -> str | None:
        if not _looks_like_date(match, grammar):
            return None
        return _said(grammar, int(match[1]), int(match[2]), "", before(match))

    pair = r"(\d{1,2})/(\d{1,2})"
    full = rf"{pair}/({_YEAR}|\d\d)|(\d{{1,2}})-(\d{{1,2}})-({_YEAR})"
    return [
        Rule(
            "date",
            re.compile(rf"(?<![\d.])({_DAY})\.\s?({_MONTH})\.\s?({_YEAR})(?!\d)"),
            dotted,
            ".",
        ),
        Rule(
            "date range",
            re.compile(rf"(?<![\d/]){pair}{DASH}{pair}(?![\d/])"),
            lambda m: _slashed_range(m, grammar),
            "/",
        ),
        Rule(
            "date",
            re.compile(rf"(?<![\d/-])(?:{full})(?![\d/-])"),
            lambda m: _figures(m, grammar),
            "/-",
        ),
        Rule("date", re.compile(rf"(?<![\d/]){pair}(?![\d/%])"), bare, "/"),
    ]


def _figures(match: re.Match[str], grammar: Grammar) -> str | None:
    first, second, year = (part for part in match.groups() if part)
    full = f"20{year}" if len(year) == 2 else year
    order = (first, second) if grammar.code in _MONTH_FIRST else (second, first)
    return _said(grammar, int(order[0]), int(order[1]), full, before(match))


def _said(grammar: Grammar, month: int, day: int, year: str, front: str) -> str | None:
    if month > 12 >= day:
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return grammar.date(Date(month, day, year, front))


def _slashed_range(match: re.Match[str], grammar: Grammar) -> str | None:
    a, b, c, d = (int(match[i]) for i in range(1, 5))
    first, last = ((b, a), (d, c)) if grammar.decimal_comma else ((a, b), (c, d))
    if not all(1 <= month <= 12 and 1 <= day <= 31 for month, day in (first, last)):
        return None
    return grammar.date_range(Date(*first, "", before(match)), Date(*last))


def _looks_like_date(match: re.Match[str], grammar: Grammar) -> bool:
    first, second = int(match[1]), int(match[2])
    if grammar.spaced and grammar.code != "ko":
        told = bool(_DATE_WORDS.search(before(match))) and second > 4
        return told or (12 < first <= 31 and 1 <= second <= 12)
    return second > 12 or first >= second or bool(_DATE_WORDS.search(before(match)))
