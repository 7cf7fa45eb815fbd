"""Network addresses, standards and versions."""

import re

from cosyedge.text.grammar import Grammar
from cosyedge.text.numerals import LATIN
from cosyedge.text.rules.rule import Rule

_IP = r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?(?::\d{1,5})?(?![\d.]*\d)"
_MAC = r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:])"


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for standards and versions: run before any number is read."""
    return [
        Rule(
            "standard",
            re.compile(
                rf"(?<![{LATIN}0-9])(?P<body>ISO|IEC|EN|DIN|GB/T|GB|JIS|ANSI|KS)"
                r"(?P<part>[ A-Z]{1,3})"
                r"(?P<number>\d{2,6})[-:](?P<year>(?:19|20)\d\d)(?!\d)"
            ),
            lambda m: (
                f"{m['body'].replace('/', ' ')}{m['part']}{grammar.code_number(m['number'])} "
                + grammar.year(m["year"])
            ),
            "-:",
        ),
        Rule(
            "version",
            re.compile(
                rf"(?<![{LATIN}0-9])(?P<word>(?i:version|ver\.?|版本|バージョン|버전|release|firmware|固件|韧体|Firmware)"
                rf"\s?[:：]?\s?)?(?P<v>[vV]\.?\s?)?(?P<number>\d{{1,5}}(?:\.\d{{1,5}}){{1,3}})"
                rf"(?P<tail>-?(?:rc|beta|alpha)\.?\d*)?(?![{LATIN}0-9])"
            ),
            lambda m: _version(grammar, m),
            ".",
        ),
        Rule(
            "version",
            re.compile(rf"(?<![{LATIN}0-9])v\.?\s?(\d{{1,3}})(?![{LATIN}0-9]|[.,-]\d)"),
            lambda m: grammar.version + grammar.cardinal(m[1]),
            "v",
        ),
    ]


def address_rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for network addresses: run before dates."""
    return [
        Rule("address", re.compile(_IP), lambda m: _address(grammar, m[0]), "."),
        Rule("address", re.compile(_MAC), lambda m: _spelled(grammar, m[0]), ":-"),
    ]


def _address(grammar: Grammar, written: str) -> str:
    parts = re.split(r"([./:])", written)
    joint, pause = (grammar.dot, ", ") if grammar.spaced else (grammar.dot.strip(), "，")
    return "".join(
        grammar.digits(part) if part.isdigit() else joint if part == "." else pause
        for part in parts
    )


def _spelled(grammar: Grammar, written: str) -> str:
    chars = (char for char in written if char.isalnum())
    return " ".join(grammar.digits(char) if char.isdigit() else char.upper() for char in chars)


def _version(grammar: Grammar, match: re.Match[str]) -> str | None:
    word, number = match["word"] or "", match["number"]
    if not word and not match["v"] and number.count(".") < 2:
        return None
    if not word and not match["v"] and re.fullmatch(r"\d{1,3}(?:\.\d{3})+", number):
        return None  # 1.234.567 is a number in German
    said = grammar.point.join(grammar.cardinal(part) for part in number.split("."))
    lead = word or (grammar.version if match["v"] else "")
    tail = match["tail"] or ""
    return f"{lead}{said}{' ' + tail.strip('-') if tail else ''}"
