"""Network addresses, versions and telephone numbers."""

import re

from cosyedge.text.grammar import Grammar
from cosyedge.text.numerals import LATIN
from cosyedge.text.rules.rule import Rule, before

_IP = r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?(?::\d{1,5})?(?![\d.]*\d)"
_MAC = r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Fa-f:])"
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


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for versions and telephones: run before any number is read."""
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
        *_phones(grammar),
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


def _phones(grammar: Grammar) -> list[Rule]:
    near = re.compile(
        rf"(?:{grammar.phone_words})(?![a-zäöü])[^\d.!?。！？]{{0,14}}$", re.IGNORECASE
    )
    cjk = not grammar.spaced
    eight = r"[2-9]\d{3}[ -]\d{4}" if grammar.code == "yue" else r"1[3-9]\d{9}"

    def shaped(match: re.Match[str]) -> str | None:
        if match[0].startswith("+") and sum(char.isdigit() for char in match[0]) < 8:
            return None
        groups = re.findall(r"\d+", match[0])
        plus = (grammar.dial_plus or grammar.plus) if match[0].startswith("+") else ""
        return plus + grammar.phone(groups)

    def told(match: re.Match[str]) -> str | None:
        if not near.search(before(match)):
            return None
        groups = re.findall(r"\d+", match[0])
        return grammar.phone(groups) if sum(map(len, groups)) >= 3 else None

    def short(match: re.Match[str]) -> str | None:
        first, second = match[1], match[2]
        dashed = "-" in match[0]
        if not ((dashed and second[0] == "0") or near.search(before(match)) or first == "555"):
            return None
        return grammar.phone((first, second))

    edge = rf"(?<![{LATIN}0-9.:,+-])"
    end = rf"(?![{LATIN}0-9]|[.,:-]\d)"
    rules = [
        Rule(
            "telephone",
            re.compile(r"〒\s?(\d{3})-(\d{4})(?!\d)"),
            lambda m: grammar.phone((m[1], m[2])),
            "〒",
        ),
        Rule("telephone", re.compile(rf"{edge}(?:{_PHONE}){end}"), shaped),
        Rule("telephone", re.compile(rf"{edge}(\d{{3}})[- ](\d{{4}}){end}"), short),
        Rule("telephone", re.compile(rf"{edge}\d{{2,12}}(?:[-/ ]\d{{2,8}}){{0,4}}{end}"), told),
    ]
    if cjk:
        rules.append(
            Rule(
                "telephone",
                re.compile(rf"(?<![0-9A-Za-z.-])(?:{eight})(?![0-9-])"),
                lambda m: grammar.phone(re.findall(r"\d+", m[0])),
            )
        )
    return rules
