"""Names of rooms and devices: letters and digits, or digits after a word such as room."""

import re
from itertools import pairwise

from cosyedge.text.grammar import Grammar
from cosyedge.text.numerals import LATIN, parse_number
from cosyedge.text.rules.rule import Rule

_PARTS = re.compile(rf"\d+(?:\.\d+)?|[{LATIN}]+|[-_–/.+~〜]")
#: A1-A3, M3~M5: from one name to another.
_SPAN = re.compile(r"([A-Za-z]{1,3})(\d{1,4})[-–~〜](?:\1)(\d{1,4})")


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for rooms and devices: run after measures, times and ranges."""
    joint = r"(?:\s?(?:,|and|und|&|or|oder|to|bis|-|–|~|、|和|与|到|至)\s?)"
    return [
        Rule(
            "code",
            re.compile(
                rf"(?<![{LATIN}])(?P<word>(?i:{grammar.code_words})(?:\s(?:code|no\.?|nr\.?|number|id))?"
                rf"[\s:：#号為为是]{{0,3}}(?:is\s|ist\s|は|은\s|는\s)?)"
                rf"(?P<run>\d{{3,}}(?:{joint}\d{{3,}})*)(?![{LATIN}0-9]|[.,:/%°]\d|[-–]\d)"
            ),
            lambda m: _code(grammar, m),
        ),
        Rule(
            "name",
            re.compile(
                rf"(?<![{LATIN}0-9.,-])\d{{1,4}}(?:-\d{{1,4}}){{2,5}}(?![{LATIN}0-9-]|[.,]\d)"
            ),
            lambda m: grammar.name_joint.join(map(grammar.code_number, m[0].split("-"))),
            "-",
        ),
        Rule(
            "name",
            re.compile(
                rf"(?<![{LATIN}0-9])[{LATIN}0-9]++(?:(?:[-_–/+~〜]|\.(?=\d))[{LATIN}0-9]++)*"
            ),
            lambda m: _name(grammar, m[0]),
        ),
    ]


def _code(grammar: Grammar, match: re.Match[str]) -> str:
    def say(part: re.Match[str]) -> str:
        return grammar.code_number(part[0])

    run = re.sub(r"(?<=\d)\s?[-–~]\s?(?=\d)", grammar.to, match["run"])
    return match["word"] + re.sub(r"\d+", say, run)


def _name(grammar: Grammar, token: str) -> str | None:
    """Say A-205 as A two oh five; None for what is no name."""
    if token.isalpha() or not any(char.isdigit() for char in token):
        return None
    span = _SPAN.fullmatch(token)
    if span:
        first, last = (_said(grammar, [span[1], span[i]]) for i in (2, 3))
        return first + grammar.to + last
    parts = _PARTS.findall(token)
    return _said(grammar, parts) if any(part.isalpha() for part in parts) else None


def _said(grammar: Grammar, parts: list[str]) -> str:
    """Join letters and figures; in Chinese and Japanese figures touch their neighbours."""
    kept = [part for part in parts if part[0].isalnum()]
    text = _part(grammar, kept[0])
    for last, part in pairwise(kept):
        if last[0].isdigit() and part[0].isdigit():
            joint = grammar.name_joint
        else:
            joint = " " if grammar.spaced or not (last[0].isdigit() or part[0].isdigit()) else ""
        text += joint + _part(grammar, part)
    return text


def _part(grammar: Grammar, part: str) -> str:
    if not part[0].isdigit():
        return part
    if "." in part:
        return grammar.number(parse_number(part, False))
    return grammar.code_number(part)
