"""What Korean asks for: native numerals before counters and hours, 유월 and 시월, floors."""

import re

from cosyedge.text.cardinals import spell
from cosyedge.text.languages.ko import Korean
from cosyedge.text.numerals import DASH, FLOORS
from cosyedge.text.rules.rule import Rule

#: 3번 is a number's name before a place or a machine, and a count before these.
_TIMES = (
    r"(?=\s?(?:이상|이하|시도|반복|울|실패|했|눌|누르|더|만(?![가-힣])|연속|발생|감지|재시도|확인))"
)
_DAY = "[월화수목금토일]"


def rules(grammar: Korean) -> list[Rule]:
    """Give the rules that run before measures."""
    return [
        Rule("date", re.compile(r"(?<!\d)0(\d)(?=\s?[월일시분초])"), lambda m: m[1], "0"),
        Rule("per",
             re.compile(r"(?<![\d.,])(\d[\d,.]{0,12})\s?([가-힣]{1,2})/(시간|분|초|일|월|년|인|명|kg)(?![가-힣])"),
             lambda m: f"{m[3]}당 {m[1]}{m[2]}", "/"),
        Rule("telephone", re.compile(r"(?<![\d.,-])(1[568]\d\d)-(\d{4})(?![\d-])"),
             lambda m: grammar.phone((m[1], m[2])), "-"),
        Rule("telephone",
             re.compile(r"(?<![\d.,-])(1\d\d)(?=(?:번|으로|로|에)?\s?(?:신고|전화|연락))"),
             lambda m: grammar.digits(m[1]), "1"),
        Rule("month", re.compile(r"(?<!\d)(6|10)\s?월(?!\s?급)"),
             lambda m: grammar.month(int(m[1])) + "월", "월"),
        Rule("floor",
             re.compile(r"(?<![A-Za-z0-9.-])(?:지하\s?)?B(\d)(?:F(?![A-Za-z0-9])|(?=\s?층))"),
             lambda m: f"지하 {grammar.cardinal(m[1])}{' 층' if m[0].endswith('F') else ''}", "B"),
        Rule("floor", FLOORS,
             lambda m: _floors(grammar, m), "F"),
    ]  # fmt: skip


def late_rules(grammar: Korean) -> list[Rule]:
    """Give the rules that run after measures and before ranges."""
    counter = grammar.counters
    begin = r"(?<![\d.,:/A-Za-z제-])"
    return [
        Rule("ordinal", re.compile(rf"{begin}(\d{{1,2}})\s?번째"),
             lambda m: spell("ko", int(m[1]), "ordinal") if int(m[1]) else None, "번"),
        Rule("counter",
             re.compile(r"(?P<day>(?:하루|매일|하루에|주|총)\s)(?P<n>\d{1,2})\s?번(?![호가-힣])"),
             lambda m: f"{m['day']}{grammar.native(m['n'])} 번", "번"),
        Rule("counter", re.compile(rf"{begin}(\d{{1,2}})\s?번{_TIMES}"),
             lambda m: grammar.native(m[1]) + " 번", "번"),
        Rule("counter", re.compile(rf"{begin}(\d{{1,2}}){DASH}(\d{{1,2}})\s?({counter})"),
             lambda m: f"{_count(grammar, m[1], m[3])}{grammar.to}{_count(grammar, m[2], m[3])}"),
        Rule("counter", re.compile(rf"{begin}(\d{{1,2}})\s?({counter})"),
             lambda m: _count(grammar, m[1], m[2])),
        Rule("range", re.compile(r"(?<=\d)(\s?[가-힣]{1,3})\s?[-–—~〜−]\s?(?=\d)"),
             lambda m: m[1] + grammar.to, "-–—~〜−"),
        Rule("temperature",
             re.compile(
                 r"(?<![A-Za-z0-9.])(?<!영하 )[-−]\s?"
                 r"(?=\d++(?:\.\d++)?\s?도(?![로시착]))"
             ),
             lambda _: "영하 ", "도"),
    ]  # fmt: skip


def word_rules(grammar: Korean) -> list[Rule]:
    """Give the rules for texts with or without figures."""
    return [
        Rule("range", re.compile(r"(?<=[가-힣])[~〜](?=[가-힣])"), lambda _: grammar.to, "~〜"),
        Rule("range", re.compile(rf"(?<![가-힣])({_DAY})[-–]({_DAY})(?![가-힣])"),
             lambda m: m[1] + grammar.to + m[2], "-–"),
    ]  # fmt: skip


def _count(grammar: Korean, number: str, counter: str) -> str:
    hour_after_noon = counter == "시" and int(number) > 12
    said = grammar.cardinal(number) if hour_after_noon else grammar.native(number)
    return f"{said} {counter}"


def _floors(grammar: Korean, match: re.Match[str]) -> str:
    lead = grammar.cardinal(match[1]) + grammar.to if match[1] else ""
    return f"{lead}{grammar.cardinal(match[2])} 층"
