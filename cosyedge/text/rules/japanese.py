"""What Japanese asks for: floors, and leading zeros that are not said."""

import re

from cosyedge.text.languages.ja import Japanese
from cosyedge.text.numerals import FLOORS
from cosyedge.text.rules.rule import Rule


def rules(grammar: Japanese) -> list[Rule]:
    """Give the rules that run before measures."""
    return [
        Rule("date", re.compile(r"(?<!\d)0(\d)(?=\s?[月日時分秒])"), lambda m: m[1], "0"),
        Rule("floor", re.compile(r"(?<![A-Za-z0-9.-])B(\d)(?:F(?![A-Za-z0-9])|(?=階))"),
             lambda m: "地下" + grammar.cardinal(m[1]) + ("階" if m[0].endswith("F") else ""), "B"),
        Rule("floor", FLOORS,
             lambda m: _floors(grammar, m), "F"),
        Rule("code", re.compile(r"(?<![\d.A-Za-z-])(\d{3,5})(?=号?室|号教室|便)"),
             lambda m: grammar.code_number(m[1])),
        Rule("code", re.compile(r"(?<![\d.])(119|118|117|104|177|171)(?=番)"),
             lambda m: grammar.digits(m[1]), "番"),
    ]  # fmt: skip


def late_rules(grammar: Japanese) -> list[Rule]:
    """Give the rules that run after measures and before ranges."""
    return [
        Rule("range", re.compile(r"(?<=\d)(\s?[ぁ-ヿ\u4e00-\u9fff]{1,3})\s?[-–—~〜−]\s?(?=\d)"),
             lambda m: m[1] + grammar.to, "-–—~〜−"),
    ]  # fmt: skip


def word_rules(grammar: Japanese) -> list[Rule]:
    """Give the rules for texts with or without figures."""
    return [
        Rule("range", re.compile(r"(?<=[ぁ-ヿ\u4e00-\u9fff])[〜~](?=[ァ-ヿ\u4e00-\u9fff])"),
             lambda _: grammar.to, "〜~"),
        Rule("per", re.compile(r"(?<=[ぁ-ヿ\u4e00-\u9fff])\s?/\s?(?=[時分秒日月年人個台])"),
             lambda _: "毎", "/"),
    ]  # fmt: skip


def _floors(grammar: Japanese, match: re.Match[str]) -> str:
    lead = grammar.cardinal(match[1]) + grammar.to if match[1] else ""
    return lead + grammar.cardinal(match[2]) + "階"
