"""What Mandarin and Cantonese ask for: 两 before measure words, years, floors, rooms."""

import re

from cosyedge.text.languages.zh import Chinese
from cosyedge.text.numerals import DASH, FLOORS
from cosyedge.text.rules.rule import Rule

_HAN = "\u4e00-\u9fff"
#: Things that are counted one by one: 12/15件 is no date, and no part of one thing.
_THINGS = "[件个個台项項条條箱瓶盒位名张張辆輛套份批页頁]"


def first_rules(grammar: Chinese) -> list[Rule]:
    """Give the rules that run before all others."""
    return [
        Rule("fraction",
             re.compile(rf"(?<![\d.,/第])(\d{{1,4}})/(\d{{1,4}})\s?({_THINGS})"),
             lambda m: _some_of(grammar, m), "/"),
    ]  # fmt: skip


def rules(grammar: Chinese) -> list[Rule]:
    """Give the rules that run before measures."""
    floor = "樓" if grammar.code == "yue" else "楼"
    under = "地庫" if grammar.code == "yue" else "负"
    year = grammar.date_words[0]
    return [
        Rule("year", re.compile(rf"(?<![\d.\-–~])(\d{{4}})\s?{year}(?![前后後来來间間])"),
             lambda m: grammar.year(m[1]) + year, year),
        Rule("year", re.compile(rf"(?<![\d.\-–~])(\d\d)\s?{year}(?=\s?\d{{1,2}}\s?月)"),
             lambda m: grammar.year(m[1]) + year, year),
        Rule("year", re.compile(r"(?<![\d.\-–~])((?:19|20)\d\d)(?=新?款)"),
             lambda m: grammar.year(m[1]), "款"),
        Rule("list", re.compile(r"(?<![\d./])(\d{1,2})/(\d{1,2})(?=[号號])"),
             lambda m: f"{grammar.cardinal(m[1])}、{grammar.cardinal(m[2])}", "/"),
        Rule("year range", re.compile(rf"(?<![\d.])(\d{{4}}){DASH}(\d{{4}})\s?(?={year})"),
             lambda m: grammar.year(m[1]) + grammar.to + grammar.year(m[2]), year),
        Rule("date", re.compile(r"(?<!\d)0(\d)(?=\s?[月日号號])"), lambda m: m[1], "月日号號"),
        Rule("floor", re.compile(rf"(?<![A-Za-z0-9.-])B(\d)F?(?=[{floor}层層])"),
             lambda m: under + grammar.cardinal(m[1]), "B"),
        Rule("floor", re.compile(r"(?<![A-Za-z0-9.-])B(\d)F(?![A-Za-z0-9])"),
             lambda m: under + grammar.cardinal(m[1]) + floor, "F"),
        Rule("floor", FLOORS,
             lambda m: _floors(grammar, m, floor), "F"),
    ]  # fmt: skip


def late_rules(grammar: Chinese) -> list[Rule]:
    """Give the rules that run after measures and before ranges."""
    words = grammar.measure_words
    joint = r"\s?[-–—~〜−到至]\s?"
    return [
        Rule("temperature",
             re.compile(r"(?<![A-Za-z0-9.])(?<!零下)[-−]\s?(\d++(?:\.\d++)?)\s?(?=度)"),
             lambda m: grammar.below_zero + _decimal(grammar, m[1]), "度"),
        Rule("code", re.compile(rf"(?<![\d.A-Za-z-])(\d{{3,5}})(?={grammar.code_suffix})"),
             lambda m: grammar.code_number(m[1])),
        Rule("counter",
             re.compile(
                 rf"(?<![\d.,:/A-Za-z第点點])(?<![A-Za-z0-9][-_–~])(\d{{1,4}}){joint}(\d{{1,4}})\s?(?={words})"
             ),
             lambda m: _two(grammar, m[1]) + grammar.to + _two(grammar, m[2]), "2"),
        Rule("counter",
             re.compile(rf"(?<![\d.,:/A-Za-z第点點])(?<![A-Za-z0-9][-_–~])2\s?(?={words})"),
             lambda _: grammar.two, "2"),
        Rule("range", re.compile(rf"(?<=\d)(\s?[{_HAN}]{{1,3}})\s?[-–—~〜−]\s?(?=\d)"),
             lambda m: m[1] + grammar.to, "-–—~〜−"),
    ]  # fmt: skip


def word_rules(grammar: Chinese) -> list[Rule]:
    """Give the rules for texts with or without figures."""
    return [
        Rule("range", re.compile(r"(?<=[一二三四五六日天])\s?[-–—~〜]\s?(?=周|週|星期|礼拜|禮拜)"),
             lambda _: grammar.to, "-–—~〜"),
        Rule("range", re.compile(r"(?<=[点點分])\s?[-–—~〜]\s?(?=次日|翌日|第二天|明天)"),
             lambda _: grammar.to, "-–—~〜"),
        _per(),
    ]  # fmt: skip


def _per() -> Rule:
    unit = (
        "小时|小時|分钟|分鐘|分(?!之)|秒|天|日|周|月|年|公斤|斤|千克|吨|噸|人|次|升|米|平方|立方|公里"
        "|件|个|個"
    )
    return Rule("per", re.compile(rf"(?<=[{_HAN}])\s?/\s?(?={unit})"), lambda _: "每", "/")


def _decimal(grammar: Chinese, written: str) -> str:
    whole, _, fraction = written.partition(".")
    said = grammar.cardinal(whole)
    return said + grammar.point + grammar.digits(fraction) if fraction else said


def _some_of(grammar: Chinese, match: re.Match[str]) -> str | None:
    """Say twelve of fifteen; half an apple stays one."""
    part, of, word = match.groups()
    if int(part) > int(of) or (part, of) == ("1", "2"):
        return None
    return f"{_two(grammar, of)}{word}中的{_two(grammar, part)}{word}"


def _two(grammar: Chinese, number: str) -> str:
    return grammar.two if number == "2" else grammar.cardinal(number)


def _floors(grammar: Chinese, match: re.Match[str], floor: str) -> str:
    lead = grammar.cardinal(match[1]) + grammar.to if match[1] else ""
    return lead + grammar.cardinal(match[2]) + floor
