"""Telephone numbers: by their shape, or after a word such as call."""

import re

from cosyedge.text.grammar import Grammar
from cosyedge.text.numerals import LATIN
from cosyedge.text.rules.rule import Rule, before

_PHONE = (
    r"\+\d{1,3}(?:[ -]?\(?\d{1,5}\)?){2,6}"
    r"|\(\d{2,5}\)\s?\d{3,4}[ -]\d{3,4}"
    r"|0\d{1,4}[-/ ]\d{3,4}-\d{3,4}"
    r"|0\d{2,4}[-/]\d{4,9}"
    r"|[48]00-\d{3}-?\d{4}"
    r"|\d{3}[-.]\d{3}[-.]\d{4}"
    r"|1[3-9]\d-\d{4}-\d{4}"
    r"|1-\d{3}-\d{3}-\d{4}"
)
_EDGE = rf"(?<![{LATIN}0-9.:,+-])"
_END = rf"(?![{LATIN}0-9]|[.,:-]\d)"
#: Without a mark in it: a Chinese mobile, a Hong Kong number.
_BARE = {"zh": r"1[3-9]\d{9}", "yue": r"[2-9]\d{3}[ -]\d{4}|1[3-9]\d{9}", "ja": r"0[789]0\d{8}"}

#: Call 030 1234 or 911: the second number is one too.
_OR = r"(?:\d[\d /-]{1,16}\s?(?:or|oder|或者?|または|또는)\s?)?"


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for telephones: run before any number is read."""
    near = re.compile(
        rf"(?:{grammar.phone_words})(?![a-zäöü])[^\d.!?。！？]{{0,14}}{_OR}$", re.IGNORECASE
    )

    def said(match: re.Match[str]) -> str:
        return grammar.phone(re.findall(r"\d+", match[0]))

    def told(match: re.Match[str]) -> str | None:
        long_enough = sum(map(str.isdigit, match[0])) >= 3
        return said(match) if long_enough and near.search(before(match)) else None

    def short(match: re.Match[str]) -> str | None:
        local = match[0].startswith("555") or re.match(r"\d{3}-0", match[0])
        return said(match) if local else told(match)

    bare = _BARE.get(grammar.code)
    return [
        Rule("telephone", re.compile(r"〒\s?\d{3}-\d{4}(?!\d)"), said, "〒"),
        Rule("telephone", re.compile(rf"{_EDGE}(?:{_PHONE}){_END}"), lambda m: _shaped(grammar, m)),
        Rule("telephone", re.compile(rf"{_EDGE}\d{{3}}[- ]\d{{4}}{_END}"), short),
        Rule("telephone", re.compile(rf"{_EDGE}\d{{2,12}}(?:[-/ ]\d{{2,8}}){{0,4}}{_END}"), told),
        *(
            [Rule("telephone", re.compile(rf"(?<![0-9A-Za-z.-])(?:{bare})(?![0-9-])"), said)]
            if bare
            else []
        ),
    ]


def _shaped(grammar: Grammar, match: re.Match[str]) -> str | None:
    abroad = match[0].startswith("+")
    if abroad and sum(map(str.isdigit, match[0])) < 8:
        return None
    plus = (grammar.dial_plus or grammar.plus) if abroad else ""
    return plus + grammar.phone(re.findall(r"\d+", match[0]))
