"""Money: signs and codes on either side, cents, ranges, and words such as million."""

import re
from collections.abc import Mapping

from cosyedge.text.grammar import Grammar, alternation
from cosyedge.text.numerals import DASH, LATIN, number_pattern, parse_number
from cosyedge.text.rules.rule import Rule

_CJK = re.compile("[\u3040-\u9fff\uac00-\ud7af]")
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
    symbols = alternation(tuple(grammar.currencies))
    # 3单元502室, 3元5角: 元 and its like stand behind their number alone.
    signs = alternation(tuple(symbol for symbol in grammar.currencies if not _CJK.search(symbol)))
    scale = rf"(?:\s?(?P<scale>{alternation(tuple(_SCALES[grammar.code]))})(?![{LATIN}]))?"
    sign = rf"(?P<sign>(?<![{LATIN}0-9)])[-−+]\s?)?"
    # ¥6.72元: the currency is said once.
    echoes = alternation(tuple({currency.one for currency in grammar.currencies.values()}))
    leading = (
        rf"{sign}(?<![{LATIN}])(?P<symbol>{signs})\s?(?P<inner>[-−])?(?P<first>{number})"
        rf"(?:{DASH}(?:{signs})?(?P<last>{number}))?{scale}(?!\d)"
        rf"(?P<echo>\s?(?:{echoes})(?![{LATIN}]))?"
    )
    trailing = (
        rf"{sign}(?<![{LATIN}0-9.,])(?P<first>{number})(?:{DASH}(?P<last>{number}))?"
        rf"{scale}\s?(?P<symbol>{symbols})(?![{LATIN}])"
    )
    return [
        Rule("money", re.compile(pattern), lambda m: _said(grammar, m.groupdict()))
        for pattern in (leading, trailing)
    ]


def _said(grammar: Grammar, parts: Mapping[str, str | None]) -> str:
    currency = grammar.currencies[parts["symbol"] or ""]
    scale = _SCALES[grammar.code].get(parts["scale"] or "", "")
    sign = (parts["sign"] or parts.get("inner") or "").strip()
    echo = parts.get("echo") or ""
    rest = "" if echo.strip() == currency.one else echo
    amount = parse_number(parts["first"] or "", grammar.decimal_comma, sign)
    if not parts["last"]:
        return grammar.money(amount, scale, currency) + rest
    last = parse_number(parts["last"], grammar.decimal_comma)
    return grammar.number(amount) + grammar.to + grammar.money(last, scale, currency) + rest
