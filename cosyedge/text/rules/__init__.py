"""The rules of a language, in the order in which they run."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from cosyedge.text.cardinals import spell
from cosyedge.text.languages import FULL, grammar_for
from cosyedge.text.rules import (
    codes,
    dates,
    measures,
    money,
    months,
    names,
    numbers,
    phones,
    ratios,
    times,
    web,
    words,
)
from cosyedge.text.rules.rule import Rule

_OWN = {
    "en": "english",
    "zh": "chinese",
    "yue": "chinese",
    "ja": "japanese",
    "ko": "korean",
    "de": "german",
}


@lru_cache(maxsize=8)
def number_rules(lang: str) -> tuple[Rule, ...]:
    """Give the rules for a text with a digit: the most telling shapes first, bare numbers last."""
    grammar = grammar_for(lang)
    own = _own(lang)
    return (
        *(own.first_rules(grammar) if hasattr(own, "first_rules") else ()),
        *codes.address_rules(grammar),
        *dates.rules(grammar),
        *months.rules(grammar),
        *codes.rules(grammar),
        *phones.rules(grammar),
        *ratios.rules(grammar),
        *times.rules(grammar),
        *ratios.last_rules(grammar),
        *words.early_rules(grammar),
        *money.rules(grammar),
        *own.rules(grammar),
        *measures.rules(grammar),
        *own.late_rules(grammar),
        *numbers.rules(grammar),
        *names.rules(grammar),
        *numbers.plain_rules(grammar),
    )


@lru_cache(maxsize=8)
def first_rules(lang: str) -> tuple[Rule, ...]:
    """Give the rules that run first, on any text."""
    return tuple(web.rules(grammar_for(lang)))


@lru_cache(maxsize=8)
def word_rules(lang: str) -> tuple[Rule, ...]:
    """Give the rules that run last, on any text."""
    grammar = grammar_for(lang)
    own: Callable[..., list[Rule]] | None = getattr(_own(lang), "word_rules", None)
    return (*(own(grammar) if own else ()), *words.rules(grammar))


def load(lang: str) -> None:
    """Compile a language's rules and load its numerals; nothing for a code without a reader."""
    if lang in FULL:
        for rules in (first_rules, number_rules, word_rules):
            rules(lang)
        spell(lang, 1)


def _own(lang: str) -> ModuleType:
    return import_module(f"cosyedge.text.rules.{_OWN[lang]}")
