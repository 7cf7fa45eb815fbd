"""Dates: ISO, local figures, month names, and ranges of them."""

import re

from cosyedge.text.cardinals import spell
from cosyedge.text.grammar import Date, Grammar
from cosyedge.text.numerals import DASH
from cosyedge.text.rules.rule import Rule, before

_YEAR = r"(?:19|20|21)\d\d"
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ISO = rf"({_YEAR})([-/.])({_MONTH})\{{}}({_DAY})(?!\d)"
#: Month first in American English; everywhere else the day leads.
_MONTH_FIRST = frozenset({"en"})
_ENGLISH_MONTH = (
    r"(Jan(?:uary|\b\.?)|Feb(?:ruary|\b\.?)|Mar(?:ch|\b\.?)|Apr(?:il|\b\.?)|May|Jun(?:e|\b\.?)|"
    r"Jul(?:y|\b\.?)|Aug(?:ust|\b\.?)|Sep(?:tember|t\b\.?|\b\.?)|Oct(?:ober|\b\.?)|"
    r"Nov(?:ember|\b\.?)|Dec(?:ember|\b\.?))"
)
_GERMAN_MONTH = (
    r"(Januar|Jan\.?|Februar|Feb\.?|März|Mär\.?|April|Apr\.?|Mai|Juni|Jun\.?|Juli|Jul\.?|August|Aug\.?|"
    r"September|Sept?\.?|Oktober|Okt\.?|November|Nov\.?|Dezember|Dez\.?)(?![a-zäöü])"
)
_TH = r"(?:st|nd|rd|th)?"
_INITIALS = {
    name: number
    for number, names in enumerate(
        [
            "jan",
            "feb",
            "mar,mär",
            "apr",
            "may,mai",
            "jun",
            "jul",
            "aug",
            "sep",
            "oct,okt",
            "nov",
            "dec,dez",
        ],
        1,
    )
    for name in names.split(",")
}
_DATE_WORDS = re.compile(
    r"(?:\b(?:on|by|until|due|since|before|after|from|till|date:?|for)|日期|于|在|自|截至|至)\s?$",
    re.IGNORECASE,
)


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for dates, ranges first."""
    shared = [
        Rule(
            "date range",
            re.compile(rf"(?<![\d.\-/]){_ISO.format(2)}{DASH}{_ISO.format(6)}"),
            lambda m: grammar.date_range(
                Date(int(m[3]), int(m[4]), m[1], before(m)), Date(int(m[7]), int(m[8]), m[5])
            ),
            "-/.",
        ),
        Rule(
            "date",
            re.compile(rf"(?<![\d.\-/]){_ISO.format(2)}(?:T(?=\d\d:))?"),
            lambda m: (
                grammar.date(Date(int(m[3]), int(m[4]), m[1], before(m)))
                + (" " if m[0].endswith("T") else "")
            ),
            "-/.",
        ),
        Rule(
            "date",
            re.compile(r"(?<![\d./-])(20\d\d)/(0[1-9]|1[0-2])(?![\d/])"),
            lambda m: grammar.date(Date(int(m[2]), 0, m[1])),
            "/",
        ),
        Rule(
            "date",
            re.compile(rf"(?<![\d.]){'('}{_DAY})\.\s?({_MONTH})\.\s?({_YEAR})(?!\d)"),
            lambda m: grammar.date(Date(int(m[2]), int(m[1]), m[3], before(m))),
            ".",
        ),
        Rule(
            "date range",
            re.compile(rf"(?<![\d/])(\d{{1,2}})/(\d{{1,2}}){DASH}(\d{{1,2}})/(\d{{1,2}})(?![\d/])"),
            lambda m: _slashed_range(m, grammar),
            "/",
        ),
        Rule(
            "date",
            re.compile(
                rf"(?<![\d/-])(?:(\d{{1,2}})/(\d{{1,2}})/({_YEAR}|\d\d)|(\d{{1,2}})-(\d{{1,2}})-({_YEAR}))(?![\d/-])"
            ),
            lambda m: _figures(m, grammar),
            "/-",
        ),
        Rule(
            "date",
            re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/%])"),
            lambda m: _bare(m, grammar) if _looks_like_date(m, grammar) else None,
            "/",
        ),
    ]
    return shared + {"en": _english, "de": _german}.get(grammar.code, lambda _: [])(grammar)


def _figures(match: re.Match[str], grammar: Grammar) -> str | None:
    first, second, year = (part for part in match.groups() if part)
    full = f"20{year}" if len(year) == 2 else year
    order = (first, second) if grammar.code in _MONTH_FIRST else (second, first)
    return _said(grammar, int(order[0]), int(order[1]), full, before(match))


def _bare(match: re.Match[str], grammar: Grammar) -> str | None:
    return _said(grammar, int(match[1]), int(match[2]), "", before(match))


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


def _month(name: str) -> int:
    return _INITIALS[name[:3].lower()]


def _english(grammar: Grammar) -> list[Rule]:
    def month_day(match: re.Match[str]) -> str:
        first = Date(_month(match[1]), int(match[2]), "" if match[3] else match[4] or "")
        if not match[3]:
            return grammar.date(first)
        return grammar.date_range(first, Date(first.month, int(match[3]), match[4] or ""))

    def day_month(match: re.Match[str]) -> str:
        first = Date(_month(match[3]), int(match[1]), "" if match[2] else match[4] or "")
        if " of " in match[0] and not match[2]:
            year = f", {grammar.year(first.year)}" if first.year else ""
            return f"{spell('en', first.day, 'ordinal')} of {grammar.date(Date(first.month))}{year}"
        if not match[2]:
            return grammar.date(first)
        return grammar.date_range(first, Date(first.month, int(match[2]), match[4] or ""))

    year = rf"(?:,?\s({_YEAR})(?![\d:]|[.,]\d))?"
    return [
        Rule(
            "date",
            re.compile(
                rf"\b{_ENGLISH_MONTH}\s({_DAY}){_TH}(?![\d:%°/]|[.,]\d)(?:{DASH}({_DAY}){_TH})?{year}"
            ),
            month_day,
        ),
        Rule(
            "date",
            re.compile(
                rf"(?<![\d.,:/-])({_DAY}){_TH}(?:{DASH}({_DAY}){_TH})?\s(?:of\s)?"
                rf"{_ENGLISH_MONTH}(?![a-z]){year}"
            ),
            day_month,
        ),
        Rule(
            "date",
            re.compile(rf"\b{_ENGLISH_MONTH},?\s({_YEAR})(?![\d:.,]*\d)"),
            lambda m: grammar.date(Date(_month(m[1]), 0, m[2])),
        ),
    ]


def _german(grammar: Grammar) -> list[Rule]:
    def named(match: re.Match[str]) -> str:
        year = match[4] or ""
        front = before(match)
        first = Date(_month(match[3]), int(match[1]), "" if match[2] else year, front)
        if not match[2]:
            return grammar.date(first)
        return grammar.date_range(first, Date(first.month, int(match[2]), year))

    def figures(match: re.Match[str]) -> str:
        year = f"20{match[3]}" if match[3] else ""
        return grammar.date(Date(int(match[2]), int(match[1]), year, before(match)))

    def figure_range(match: re.Match[str]) -> str:
        month = int(match[3])
        first = Date(month, int(match[1]), "", before(match))
        return grammar.date_range(first, Date(month, int(match[2]), match[4] or ""))

    return [
        Rule(
            "date",
            re.compile(
                rf"(?<![\d.,:])({_DAY})\.(?:{DASH}({_DAY})\.)?\s?{_GERMAN_MONTH}"
                rf"(?:\s({_YEAR})(?![\d:]|[.,]\d))?"
            ),
            named,
            ".",
        ),
        Rule(
            "date range",
            re.compile(rf"(?<![\d.,:])({_DAY})\.{DASH}({_DAY})\.({_MONTH})\.({_YEAR})?(?!\d)"),
            figure_range,
            ".",
        ),
        Rule(
            "date",
            re.compile(rf"(?<![\d.,:])({_DAY})\.\s?({_MONTH})\.(\d\d(?!\d|[.,:]\d))?(?!\d)"),
            figures,
            ".",
        ),
        Rule(
            "date",
            re.compile(rf"\b{_GERMAN_MONTH}\s({_YEAR})(?![\d:.,]*\d)"),
            lambda m: grammar.date(Date(_month(m[1]), 0, m[2])),
        ),
    ]
