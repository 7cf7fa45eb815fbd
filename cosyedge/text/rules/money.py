"""Money: signs and codes on either side, cents, ranges, and words such as million."""

import re

from cosyedge.text.grammar import Grammar, alternation
from cosyedge.text.numerals import DASH, LATIN, number_pattern, parse_number
from cosyedge.text.rules.rule import Rule

#: Words between the number and the currency, as written → as said.
_SCALES = {
    "en": {"million": " million", "billion": " billion", "thousand": " thousand", "bn": " billion",
           "M": " million", "k": " thousand", "K": " thousand", "m": " million"},
    "de": {"Mio.": " Millionen", "Mrd.": " Milliarden", "Tsd.": " Tausend",
           "Millionen": " Millionen", "Milliarden": " Milliarden", "Million": " Million"},
    "zh": {"万": "万", "亿": "亿", "千": "千", "百万": "百万", "万亿": "万亿"},
    "yue": {"萬": "萬", "億": "億", "千": "千", "百萬": "百萬"},
    "ja": {"万": "万", "億": "億", "兆": "兆", "千": "千"},
    "ko": {"만": "만", "억": "억", "조": "조", "천": "천"},
}  # fmt: skip


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for money before and behind the number."""
    number = number_pattern(grammar.decimal_comma)
    scales = _SCALES[grammar.code]
    scale = rf"(?:\s?({alternation(tuple(scales))})(?![{LATIN}]))?"
    symbols = alternation(tuple(grammar.currencies))
    edge = rf"(?![{LATIN}])"

    def say(match: re.Match[str]) -> str | None:
        parts = match.groupdict()
        currency = grammar.currencies[parts["symbol"]]
        sign = (parts["sign"] or parts.get("inner") or "").strip()
        amount = parse_number(parts["first"], grammar.decimal_comma, sign)
        said_scale = scales.get(match["scale"] or "", "")
        echo = parts.get("echo") or ""
        rest = "" if echo.strip() == currency.one else echo
        if not parts["last"]:
            return grammar.money(amount, said_scale, currency) + rest
        last = grammar.money(
            parse_number(parts["last"], grammar.decimal_comma), said_scale, currency
        )
        return grammar.number(amount) + grammar.to + last + rest

    named = scale.replace("(", "(?P<scale>", 2).replace("(?P<scale>?:", "(?:", 1)
    # ¥6.72元: the currency is said once.
    echoes = alternation(tuple({c.one for c in grammar.currencies.values()}))
    sign = rf"(?P<sign>(?<![{LATIN}0-9)])[-−+]\s?)?"
    return [
        Rule(
            "money",
            re.compile(
                rf"{sign}(?<![{LATIN}])(?P<symbol>{symbols})\s?(?P<inner>[-−])?"
                rf"(?P<first>{number})(?:{DASH}(?:{symbols})?(?P<last>{number}))?{named}(?!\d)(?P<echo>\s?(?:{echoes})(?![{LATIN}]))?"
            ),
            say,
        ),
        Rule(
            "money",
            re.compile(
                rf"{sign}(?<![{LATIN}0-9.,])(?P<first>{number})(?:{DASH}(?P<last>{number}))?"
                rf"{named}\s?(?P<symbol>{symbols}){edge}"
            ),
            say,
        ),
    ]
