"""Recognize a written number: its sign, its thousands and its decimals."""

import re
from dataclasses import dataclass
from functools import lru_cache

#: Letters that join a digit into one name; Han, Kana and Hangul may touch a number freely.
LATIN = "A-Za-zÀ-ÖØ-öø-ɏ"
#: No digit or Latin letter before: a number begins here.
BEGIN = rf"(?<![{LATIN}0-9])(?<![{LATIN}0-9][._])(?<![{LATIN}][-–])"
#: A sign that is not a hyphen: no letter, digit or closing bracket stands before it.
SIGN = rf"(?<![{LATIN}0-9)\]%°])[-−+±]\s?"
DASH = r"\s?[-–—~〜−]\s?"

#: 3F, 2-3F: a storey in Chinese, Japanese and Korean.
FLOORS = re.compile(rf"(?<![A-Za-z0-9.])(?:(\d{{1,3}}){DASH})?(\d{{1,3}})F(?![A-Za-z0-9])")

_THOUSANDS_COMMA = re.compile(r"\d{1,3}(?:,\d{3})+")
_THOUSANDS_POINT = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")


@lru_cache(maxsize=2)
def number_pattern(decimal_comma: bool) -> str:
    """Give the expression of an unsigned number, with no group in it; linear on any text."""
    if decimal_comma:
        return r"(?:\d{1,3}(?:\.\d{3})+(?!\d)(?:,\d++)?|\d++(?:[.,]\d++)?|,\d++)"
    return r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d++)?|\d++(?:\.\d++)?|\.\d++)"


@dataclass(frozen=True, slots=True)
class Number:
    """A written number: digits before and after the mark; ``sign`` is ``-``, ``+`` or ``±``."""

    whole: str
    fraction: str = ""
    sign: str = ""

    @property
    def is_one(self) -> bool:
        """Tell whether a noun after it stands in the singular."""
        return self.whole == "1" and not self.fraction

    @property
    def is_two(self) -> bool:
        """Tell whether it is exactly two."""
        return self.whole == "2" and not self.fraction


def parse_number(written: str, decimal_comma: bool, sign: str = "") -> Number:
    """Take apart what :func:`number_pattern` matched; the language decides what its marks mean."""
    sign = sign.strip().replace("−", "-")
    both = "." in written and "," in written
    comma_is_decimal = written.rfind(",") > written.rfind(".") if both else decimal_comma
    thousands = _THOUSANDS_POINT if comma_is_decimal else _THOUSANDS_COMMA
    decimal, grouping = (",", ".") if comma_is_decimal else (".", ",")
    head, _, fraction = written.partition(decimal)
    if grouping in head and not thousands.fullmatch(head):
        # "22.5" in German: the other mark, and no group of three behind it.
        head, _, fraction = written.partition(grouping)
        return Number(head or "0", fraction, sign)
    return Number(head.replace(grouping, "") or "0", fraction, sign)
