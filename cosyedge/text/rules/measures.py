"""Numbers with a unit: temperatures, percents, SI units; single, in ranges, with a tolerance."""

import re

from cosyedge.text.grammar import Grammar, alternation
from cosyedge.text.numerals import BEGIN, LATIN, SIGN, Number, number_pattern, parse_number
from cosyedge.text.rules.rule import Rule, after, before
from cosyedge.text.units import unit_pattern

_JOINT = r"\s?(?P<joint>[-–—~〜−±])\s?"
#: One letter that may as well be part of a name: gate 12 A, 登机口12A.
_LETTERS = frozenset("AVWKNJtgdmlLhs")
#: A hyphen joins these to their number: a 10-min break.
_HYPHENED = frozenset({"min", "h", "m", "s", "kg", "g", "km", "cm", "mm", "l"})
_NAME_BEFORE = re.compile(
    r"(?:\b(?:room|gate|bay|line|zone|block|building|section|seat|row|house|apartment|suite|platform|"
    r"track|unit|Raum|Halle|Gleis|Reihe|Platz|Tor|Haus|Linie|Gate)\s|口|门|門|号|號|区|區|座|栋|棟|室|工位|车位|車位|座位|站台|"
    r"月台|番|출구|게이트|구역|동\s|ゲート|ホーム)\s?$",
    re.IGNORECASE,
)
#: 5A景区, 3A级: a grade.
_NAME_AFTER = re.compile("[级級景类類型座区區号號口门門栋棟班]")
_HEAT = re.compile(
    r"temp|degree|outside|inside|oven|freezer|fridge|water|heat|cool|weather|warm|cold|thermostat|温|溫|气温|"
    r"온도|기온|Grad|Wetter|Ofen|Wasser",
    re.IGNORECASE,
)


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for measures."""
    # 22,5 °C in a text whose decimal mark is a point: no thousands have two digits.
    loose = "" if grammar.decimal_comma else r"(?:\d++,\d{1,2}(?![\d,]))|"
    number = rf"(?:{loose}{number_pattern(grammar.decimal_comma)})"
    unit = unit_pattern(grammar.own_units)
    return [
        _broken(grammar, unit),
        *_compared(grammar, rf"{number}\s?(?:{unit}(?![{LATIN}0-9²³]))?"),
        _compound(grammar),
        _dimensions(grammar, number, unit),
        _blood_pressure(grammar),
        Rule(
            "measure",
            re.compile(
                rf"(?P<sign>{SIGN})?{BEGIN}(?P<first>{number})"
                rf"(?:\s?(?:{unit})?{_JOINT}(?P<sign2>[-−+]?)(?P<last>{number}))?"
                rf"(?P<gap>[\s-]?)(?P<unit>{unit})(?:(?<=[%‰°])|(?![{LATIN}0-9²³]))(?P<stop>\.(?=\s[a-zäöü0-9]))?"
            ),
            lambda m: _measure(grammar, m),
        ),
        Rule(
            "per",
            re.compile(rf"(?<=[a-zäöüß\u3040-\uffff])\s?/\s?(?P<unit>{unit})(?![{LATIN}0-9²³])"),
            lambda m: _per(grammar, m["unit"]),
            "/",
        ),
        Rule(
            "measure",
            re.compile(
                rf"(?P<sign>{SIGN})?{BEGIN}(?P<first>{number})\s?(?P<unit>[CF])(?![{LATIN}0-9])"
            ),
            lambda m: _bare_degrees(grammar, m),
            "CF",
        ),
    ]


def _measure(grammar: Grammar, match: re.Match[str]) -> str | None:
    symbol, written = match["unit"], match["first"]
    unit = grammar.units.find(symbol)
    if unit is None or _is_a_name(match, symbol):
        return None
    if match["gap"] == "-" and symbol not in _HYPHENED:
        return None
    if not grammar.decimal_comma and re.fullmatch(r"\d+,\d{1,2}", written):
        written = written.replace(",", ".")
    sign = (match["sign"] or "").strip()
    written = re.sub(r"^0(?=\d$)", "", written)  # 05 min
    numbers = [parse_number(written, grammar.decimal_comma, sign)]
    joint = grammar.to
    if match["last"]:
        numbers.append(parse_number(match["last"], grammar.decimal_comma, match["sign2"]))
        joint = f" {grammar.plus_minus}" if match["joint"] == "±" else grammar.to
        if not grammar.spaced:
            joint = joint.strip()
    front = before(match)
    said = grammar.measure(numbers, unit, joint, front)
    for opener in grammar.openers:
        if said.startswith(opener) and front.rstrip().endswith(opener.strip()):
            return said[len(opener) :]
    return said


def _broken(grammar: Grammar, unit: str) -> Rule:
    """Turn 1 1/2 h into 1.5 h, which every language can say, where the fraction is exact."""

    def say(match: re.Match[str]) -> str | None:
        if int(match["part"]) >= int(match["of"]):
            return None
        value = int(match["whole"] or 0) + int(match["part"]) / int(match["of"])
        decimal = f"{value:.3f}".rstrip("0")
        return decimal.replace(".", ",") if grammar.decimal_comma else decimal

    pattern = (
        rf"{BEGIN}(?<!/)(?:(?P<whole>\d{{1,3}})\s)?(?P<part>[1-9])/(?P<of>2|4|5|8|10)"
        rf"(?=\s?{unit}(?![{LATIN}0-9²³]))"
    )
    return Rule("fraction", re.compile(pattern), say, "/")


def _blood_pressure(grammar: Grammar) -> Rule:
    def say(match: re.Match[str]) -> str | None:
        unit = grammar.units.find("mmHg")
        numbers = [Number(match[1]), Number(match[2])]
        return grammar.measure(numbers, unit, grammar.stroke) if unit else None

    pattern = re.compile(rf"{BEGIN}(\d{{2,3}})/(\d{{2,3}})\s?mmHg(?![{LATIN}])")
    return Rule("measure", pattern, say, "/")


def _dimensions(grammar: Grammar, number: str, unit: str) -> Rule:
    pattern = (
        rf"{BEGIN}{number}(?:\s?[x×X*]\s?{number}){{1,2}}"
        rf"(?:\s?(?P<unit>{unit}))?(?![{LATIN}0-9²³])"
    )
    return Rule("dimension", re.compile(pattern), lambda m: _dimension(grammar, m), "x×X*")


def _dimension(grammar: Grammar, match: re.Match[str]) -> str:
    written = match[0][: match.start("unit") - match.start()] if match["unit"] else match[0]
    numbers = [
        parse_number(part.strip(), grammar.decimal_comma) for part in re.split("[x×X*]", written)
    ]
    unit = grammar.units.find(match["unit"]) if match["unit"] else None
    if unit is None:
        is_sum = after(match, 4).lstrip().startswith("=")
        joint = f" {grammar.signs['×']} " if is_sum and grammar.spaced else grammar.by
        return joint.join(grammar.number(number) for number in numbers)
    joint = grammar.by
    if match["unit"].lstrip("kmc") in ("g", "l", "L"):
        joint = f" {grammar.signs['×']} " if grammar.spaced else grammar.signs["×"]
    return grammar.measure(numbers, unit, joint)


def _per(grammar: Grammar, symbol: str) -> str | None:
    """Say the unit below a stroke: a price or a count /h."""
    unit, form = grammar.units.find(symbol), grammar.units.over
    if unit is None or not form.startswith("{0}") or "{}" in unit.one:
        return None
    return form.replace("{0}", "").replace("{1}", grammar.units.below.get(symbol, unit.one))


def _is_a_name(match: re.Match[str], symbol: str) -> bool:
    if symbol not in _LETTERS or match["sign"] or not match["first"].isdigit():
        return False
    if symbol == "K" and not match["gap"] and len(match["first"]) < 3:
        return True  # 4K is a picture, 300K and 2.5 K are kelvins
    return bool(_NAME_BEFORE.search(before(match)) or _NAME_AFTER.match(after(match)))


def _bare_degrees(grammar: Grammar, match: re.Match[str]) -> str | None:
    decimals = "." in match["first"] or "," in match["first"]
    sentence = match.string
    if not (decimals or match["sign"] or _HEAT.search(sentence)) or len(match["first"]) < 2:
        return None
    if after(match, 1).isalpha() and after(match, 1).isascii():
        return None
    unit = grammar.units.find(f"°{match['unit']}")
    if unit is None:
        return None
    return grammar.measure(
        [parse_number(match["first"], grammar.decimal_comma, match["sign"] or "")], unit
    )


def _compared(grammar: Grammar, amount: str) -> list[Rule]:
    """Move a comparison behind its number: <2bar → 2bar未満."""
    if not grammar.compared:
        return []
    gap = " " if grammar.spaced else ""
    signs = alternation(tuple(grammar.compared))
    return [
        Rule(
            "comparison",
            re.compile(rf"(?P<sign>{signs})\s?(?P<amount>[-−]?{amount})"),
            lambda m: f"{m['amount'].rstrip()}{gap}{grammar.compared[m['sign']]}",
            "<>≤≥≦≧",
        )
    ]


def _compound(grammar: Grammar) -> Rule:
    """Read 2h 30m, 1h30: the m after hours is a minute."""

    def say(match: re.Match[str]) -> str | None:
        parts = []
        for symbol, value in (("h", match[1]), ("min", match[2]), ("s", match[3])):
            unit = grammar.units.find(symbol)
            if value and unit:
                parts.append(grammar.measure([Number(str(int(value)))], unit, "", before(match)))
        return (" " if grammar.spaced else "").join(parts)

    return Rule(
        "measure",
        re.compile(
            rf"{BEGIN}(\d{{1,3}})\s?h\s?(\d{{1,2}})\s?(?:m|min|')?(?:\s?(\d{{1,2}})\s?s)?(?![{LATIN}0-9])"
        ),
        say,
        "h",
    )
