"""Dates with the names of months, in English and German."""

import re

from cosyedge.text.cardinals import spell
from cosyedge.text.grammar import Date, Grammar
from cosyedge.text.numerals import DASH
from cosyedge.text.rules.rule import Rule, before

_YEAR = r"(?:19|20|21)\d\d"
_MONTH = r"(?:1[0-2]|0?[1-9])"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
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
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7,
    "aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for a language whose months have names."""
    if grammar.code == "en":
        return _english(grammar)
    return [*_german(grammar), *_german_figures(grammar)] if grammar.code == "de" else []


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

    day = rf"(?<![\d.,:])({_DAY})\.(?:{DASH}({_DAY})\.)?\s?{_GERMAN_MONTH}"
    month = re.compile(rf"\b{_GERMAN_MONTH}\s({_YEAR})(?![\d:.,]*\d)")
    return [
        Rule("date", re.compile(rf"{day}(?:\s({_YEAR})(?![\d:]|[.,]\d))?"), named, "."),
        Rule("date", month, lambda m: grammar.date(Date(_month(m[1]), 0, m[2]))),
    ]


def _german_figures(grammar: Grammar) -> list[Rule]:
    def figures(match: re.Match[str]) -> str:
        year = f"20{match[3]}" if match[3] else ""
        return grammar.date(Date(int(match[2]), int(match[1]), year, before(match)))

    def figure_range(match: re.Match[str]) -> str:
        month = int(match[3])
        first = Date(month, int(match[1]), "", before(match))
        return grammar.date_range(first, Date(month, int(match[2]), match[4] or ""))

    begin = rf"(?<![\d.,:])({_DAY})\."
    span = rf"{begin}{DASH}({_DAY})\.({_MONTH})\.({_YEAR})?(?!\d)"
    date = rf"{begin}\s?({_MONTH})\.(\d\d(?!\d|[.,:]\d))?(?!\d)"
    return [
        Rule("date range", re.compile(span), figure_range, "."),
        Rule("date", re.compile(date), figures, "."),
    ]
