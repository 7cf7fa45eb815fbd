"""One module a language; each gives its grammar, loaded when a text first needs it."""

from functools import lru_cache
from importlib import import_module
from typing import cast

from cosyedge.text.grammar import Grammar

#: The languages that are read in full; any other passes with clean-up only.
FULL = ("en", "zh", "yue", "ja", "ko", "de")
#: Languages that set their words without blanks.
UNSPACED = frozenset({"zh", "yue", "ja"})

#: What is said for a missing value when the setting says replace.
NOT_AVAILABLE = {
    "en": "not available",
    "zh": "不可用",
    "yue": "暫時無法取得",
    "ja": "取得できません",
    "ko": "확인할 수 없음",
    "de": "nicht verfügbar",
}


@lru_cache(maxsize=len(FULL))
def grammar_for(lang: str) -> Grammar:
    """Give the grammar of one of :data:`FULL`."""
    return cast(Grammar, import_module(f"cosyedge.text.languages.{lang}").GRAMMAR)
