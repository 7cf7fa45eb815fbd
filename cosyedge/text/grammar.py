"""The words of one language: what the rules need to say numbers, measures, times and dates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from cosyedge.text.cardinals import LONGEST_CARDINAL_DIGITS, spell
from cosyedge.text.numerals import Number
from cosyedge.text.units import Unit, UnitWords


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency's words, and those of its hundredth part (empty: it has none)."""

    one: str
    many: str
    cent: str = ""
    cents: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; ``half`` is ``""`` (24 hours), ``am`` or ``pm``; ``second`` may be None."""

    hour: int
    minute: int
    second: int | None = None
    half: str = ""

    @property
    def hour_24(self) -> int:
        """Give the hour from 0 to 24, whatever the half."""
        if not self.half or self.hour > 12:
            return self.hour
        return self.hour % 12 + (12 if self.half == "pm" else 0)


@dataclass(frozen=True, slots=True)
class Date:
    """A date; ``year`` and ``day`` may be missing. ``before`` is the text in front of it."""

    month: int
    day: int = 0
    year: str = ""
    before: str = ""


class Grammar:
    """A language as data; each language overrides what its own grammar asks for."""

    code: ClassVar[str] = ""
    #: Words are set apart by blanks.
    spaced: ClassVar[bool] = True
    decimal_comma: ClassVar[bool] = False
    digit_words: ClassVar[Sequence[str]] = ()
    #: Words with their own blanks around them.
    point: ClassVar[str] = ""
    minus: ClassVar[str] = ""
    plus: ClassVar[str] = ""
    plus_minus: ClassVar[str] = ""
    #: Before a country's code, where it differs from a sign.
    dial_plus: ClassVar[str] = ""
    to: ClassVar[str] = ""
    by: ClassVar[str] = ""
    less: ClassVar[str] = ""
    #: Between the two figures of a blood pressure.
    stroke: ClassVar[str] = ""
    about: ClassVar[str] = ""
    versus: ClassVar[str] = ""
    dot: ClassVar[str] = ""
    version: ClassVar[str] = ""
    link: ClassVar[str] = ""
    at: ClassVar[str] = ""
    #: Words that a measure may begin with, and that the text may already hold.
    openers: ClassVar[Sequence[str]] = ()
    #: Signs of comparison that are said behind the number.
    compared: ClassVar[Mapping[str, str]] = {}
    #: Between two numbers of one name, and between a part and its whole.
    name_joint: ClassVar[str] = ""
    out_of: ClassVar[str] = ""
    final_mark: ClassVar[str] = "."
    units: ClassVar[UnitWords]
    #: Symbols of this language only, such as Std. in German.
    own_units: ClassVar[tuple[str, ...]] = ()
    currencies: ClassVar[Mapping[str, Currency]] = {}
    #: Signs said as words; the longest is tried first.
    signs: ClassVar[Mapping[str, str]] = {}
    #: Expression → replacement, in order; for abbreviations and the like.
    abbreviations: ClassVar[Sequence[tuple[str, str]]] = ()
    #: Words before a ratio such as 3:20, a number read digit by digit, a telephone number.
    ratio_words: ClassVar[str] = ""
    code_words: ClassVar[str] = ""
    phone_words: ClassVar[str] = ""

    def cardinal(self, whole: str) -> str:
        """Say a whole number of digits; leading zeros and great lengths digit by digit."""
        if len(whole) > LONGEST_CARDINAL_DIGITS or (len(whole) > 1 and whole[0] == "0"):
            return self.digits(whole)
        return spell(self.code, int(whole))

    def digits(self, run: str) -> str:
        """Say digits one by one."""
        return (" " if self.spaced else "").join(self.digit_words[int(char)] for char in run)

    def code_number(self, run: str) -> str:
        """Say the number of a room, a device or an order: 12, 100 whole, 205 by its digits."""
        if run[0] == "0" or (len(run) > 2 and not (len(run) < 5 and run.endswith("00"))):
            return self.digits(run)
        return self.cardinal(run)

    def phone(self, groups: Sequence[str]) -> str:
        """Say a telephone number, group by group."""
        return ", ".join(self.digits(group) for group in groups)

    def sign(self, sign: str) -> str:
        """Say a number's sign."""
        return {"-": self.minus, "+": self.plus, "±": self.plus_minus}.get(sign, "")

    def number(self, number: Number) -> str:
        """Say a number with its sign and decimals."""
        return self.sign(number.sign) + self.unsigned(number)

    def unsigned(self, number: Number) -> str:
        """Say a number without its sign."""
        whole = self.cardinal(number.whole)
        if not number.fraction:
            return whole
        return whole + self.point + self.digits(number.fraction)

    def counted(self, number: Number, unit: Unit) -> str:
        """Say the number as it stands before ``unit``: gender and measure words differ."""
        del unit
        return self.number(number)

    def measure(
        self, numbers: Sequence[Number], unit: Unit, joint: str = "", before: str = ""
    ) -> str:
        """Say one number, or a range, with its unit; ``before`` is the text in front of it."""
        del before
        said = (joint or self.to).join(self.counted(number, unit) for number in numbers)
        words = unit.one if len(numbers) == 1 and numbers[0].is_one else unit.many
        if "{}" in words:
            return words.replace("{}", said)
        return said + (" " if self.spaced else "") + words

    def money(self, number: Number, scale: str, currency: Currency) -> str:
        """Say an amount; ``scale`` is a word such as million, or empty."""
        raise NotImplementedError

    def clock(self, clock: Clock) -> str:
        """Say a time of day."""
        raise NotImplementedError

    def date(self, date: Date) -> str:
        """Say a date."""
        raise NotImplementedError

    def date_range(self, first: Date, last: Date) -> str:
        """Say two dates with the word between them."""
        return self.date(first) + self.to + self.date(last)

    def numbered(self, run: str) -> str:
        """Say #3: number three."""
        raise NotImplementedError

    def year(self, year: str) -> str:
        """Say a year of four digits."""
        return self.cardinal(year)

    def fraction(self, whole: str, part: str, of: str) -> str:
        """Say ``part``/``of``, after ``whole`` if that is not empty."""
        raise NotImplementedError

    def ratio(self, numbers: Sequence[str]) -> str:
        """Say a score or a proportion."""
        return self.versus.join(self.cardinal(number) for number in numbers)


def currency_table(text: str) -> dict[str, Currency]:
    """Read a table of currencies, a line each: ``symbols | one | many | cent | cents``."""
    currencies: dict[str, Currency] = {}
    for line in text.strip().splitlines():
        symbols, *words = (cell.strip() for cell in line.split("|"))
        currencies.update(dict.fromkeys(symbols.split(), Currency(*words)))
    return currencies


def alternation(keys: Sequence[str]) -> str:
    """Give an expression of any of ``keys``, the longest first."""
    return "|".join(re.escape(key) for key in sorted(keys, key=len, reverse=True))
