"""Values that a template gives when it has none: unavailable, unknown, None."""

import re
from functools import lru_cache

_WORD = r"(?:unavailable|unknown|undefined|None|null|NULL|nan|NaN|[Uu]navailable|[Uu]nknown)"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
#: A value stands before a unit, a mark, the end or another script; or after is or a colon.
_UNIT = (
    r"(?:°\s?[CFK]?|℃|℉|%|‰|"
    r"(?:k?Wh?|k?Pa|hPa|bar|ppm|ppb|lx|dB|km/h|m/s|kg|V|A|Hz|min|m³|m²|l)(?![A-Za-z]))"
)


@lru_cache(maxsize=2)
def _value(german: bool) -> re.Pattern[str]:
    # "null Grad" is zero degrees in German.
    word = _WORD.replace("null|", "") if german else _WORD
    return re.compile(
        r"(?P<lead>(?<=[:=：＝])\s?|(?<=\bis ))?"
        rf"(?<![A-Za-z0-9_-])(?P<word>{word})(?![A-Za-z0-9_])"
        rf"(?:(?P<unit>\s?{_UNIT})|(?P<end>(?=\s*(?:$|[.,;:!?)\]。，！？；、）\n]|[{_CJK}]))))?"
    )


def _is_value(match: re.Match[str]) -> bool:
    return any(match[name] is not None for name in ("lead", "unit", "end"))


def find(text: str, lang: str) -> str | None:
    """Give the first word that stands where a value should, or None."""
    matches = _value(lang == "de").finditer(text)
    return next((match["word"] for match in matches if _is_value(match)), None)


def replace(text: str, lang: str, words: str) -> tuple[str, list[tuple[str, str]]]:
    """Say ``words`` for each missing value and its unit; empty ``words`` only drops the unit."""
    done: list[tuple[str, str]] = []

    def put(match: re.Match[str]) -> str:
        if not _is_value(match):
            return match[0]
        written = match["word"]
        said = match[0].replace(match["unit"] or "\0", "").replace(written, words or written)
        if said != match[0]:
            done.append((match[0], said))
        return said

    return _value(lang == "de").sub(put, text), done
