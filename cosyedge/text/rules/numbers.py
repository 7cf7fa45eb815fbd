"""What is left of the numbers: ranges, dimensions, fractions, years, and plain ones."""

import re

from cosyedge.text.grammar import Grammar
from cosyedge.text.numerals import BEGIN, DASH, LATIN, number_pattern, parse_number
from cosyedge.text.rules.rule import Rule, after, before

_YEAR = r"(?:19|20)\d\d"
#: A minus before a bare number: not after a word, but after those that lead to a value.
_MINUS = (
    r"(?:(?:(?<=^)|(?<=[\s(（:：=<>≤≥,，、为為是到至约達は가은는이にとがをもで度值差值數数额額]))"
    r"[-−](?=[\d.,])|(?<![\w)])[+±]\s?(?=\d))"
)


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for ranges, dimensions and fractions: run before counters and names."""
    number = number_pattern(grammar.decimal_comma)
    thousands = r"\." if grammar.decimal_comma else ","
    count = rf"(?:\d{{1,3}}{thousands}\d{{3}}|\d{{1,5}})"
    return [
        Rule(
            "range",
            re.compile(
                rf"(?P<sign>{_MINUS})?{BEGIN}(?<![-–]){'(?P<first>'}{number}){DASH}"
                rf"(?P<sign2>[-−])?(?P<last>{number})(?![-–]?[\d{LATIN}]|[.,:/]\d)"
            ),
            lambda m: _range(grammar, m),
            "-–—~〜−",
        ),
        Rule(
            "fraction",
            re.compile(
                rf"{BEGIN}(?<!/)(?:(\d{{1,3}})\s)?(\d{{1,3}})/(\d{{1,3}})(?![\d/{LATIN}]|[.,]\d)"
            ),
            lambda m: _fraction(grammar, m),
            "/",
        ),
        Rule(
            "fraction",
            re.compile(rf"{BEGIN}(?<!/)({count})/({count})(?![\d/{LATIN}]|[.,]\d)"),
            lambda m: _progress(grammar, m),
            "/",
        ),
    ]


def _range(grammar: Grammar, match: re.Match[str]) -> str:
    comma = grammar.decimal_comma
    first = grammar.number(parse_number(match["first"], comma, match["sign"] or ""))
    last = grammar.number(parse_number(match["last"], comma, match["sign2"] or ""))
    if "=" in after(match, 4):
        return first + grammar.less + last
    if re.fullmatch(_YEAR, match["first"]) and re.fullmatch(_YEAR, match["last"]):
        return grammar.year(match["first"]) + grammar.to + grammar.year(match["last"])
    return first + grammar.to + last


def _fraction(grammar: Grammar, match: re.Match[str]) -> str | None:
    part, of = int(match[2]), int(match[3])
    if re.search(
        r"(?:page|step|part|slide|item|batch|level|lap|round|Seite|Schritt|Teil|task)s?\s$",
        before(match),
        re.IGNORECASE,
    ):
        return _of(grammar, match)
    if 0 < part < of and of > 1:
        return grammar.fraction(match[1] or "", match[2], match[3])
    if part == of:
        return (
            grammar.cardinal(match[2])
            + (" " if grammar.spaced else "")
            + grammar.cardinal(match[3])
        )
    if grammar.code == "en" and part and 1 < of < 10 and not match[1]:
        return grammar.fraction("", match[2], match[3])
    return _of(grammar, match)


def _progress(grammar: Grammar, match: re.Match[str]) -> str | None:
    """Read 1500/2000 pieces; two years, or a code, are none."""
    part, of = (re.sub("[.,]", "", count) for count in match.groups())
    years = re.fullmatch(_YEAR, match[1]) and re.fullmatch(_YEAR, match[2])
    code = re.search(rf"(?:{grammar.code_words})[^\w]*$", before(match), re.IGNORECASE)
    if years or code or int(part) > int(of) or "0" in (part[0], of[0]):
        return None
    if grammar.spaced and grammar.code != "ko":
        return grammar.cardinal(part) + grammar.out_of + grammar.cardinal(of)
    return grammar.fraction("", part, of)


def _of(grammar: Grammar, match: re.Match[str]) -> str:
    lead = grammar.cardinal(match[1]) + " " if match[1] else ""
    return lead + grammar.cardinal(match[2]) + grammar.out_of + grammar.cardinal(match[3])


def plain_rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for every number that is left; after them no digit stands in the text."""
    number = number_pattern(grammar.decimal_comma)
    comma = grammar.decimal_comma
    return [
        Rule(
            "number",
            re.compile(rf"(?P<sign>{_MINUS})?{BEGIN}(?P<number>{number})(?!\d)"),
            lambda m: grammar.number(parse_number(m["number"], comma, m["sign"] or "")),
        ),
        Rule("number", re.compile(r"\d+"), lambda m: _bounded(grammar, m)),
    ]


def _bounded(grammar: Grammar, match: re.Match[str]) -> str:
    said = grammar.cardinal(match[0])
    if not grammar.spaced:
        return said
    lead = " " if before(match, 1).isalnum() else ""
    return lead + said + (" " if after(match, 1).isalnum() else "")
