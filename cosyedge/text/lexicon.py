"""The user's own readings: text → text, and text → phonemes for a voice that takes them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

#: The key under which entries for every language stand.
ANY = "*"

Entries = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Entries by language (``"*"`` is every language): ``{"en": {"HVAC": "H vac"}}``.

    An entry matches whole words, upper and lower case as written. ``words`` are replaced before
    any rule reads the text; ``phonemes`` are set beside the spoken text.
    """

    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    phonemes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    EMPTY: ClassVar["Lexicon"]

    @property
    def digest(self) -> str:
        """Name the content: part of the phrase cache's key, the same for equal entries."""
        # Imported on use, so that importing the text door stays cheap.
        import hashlib
        import json

        content = {"words": _plain(self.words), "phonemes": _plain(self.phonemes)}
        canonical = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def replace(self, text: str, lang: str) -> tuple[str, list[tuple[str, str]]]:
        """Replace words; give the text and each (before, after)."""
        entries = _entries(self.words, lang)
        done: list[tuple[str, str]] = []
        if not entries:
            return text, done

        def put(match: re.Match[str]) -> str:
            done.append((match[0], entries[match[0]]))
            return entries[match[0]]

        return _pattern(tuple(entries)).sub(put, text), done

    def pronounce(self, spoken: str, lang: str) -> str | None:
        """Give the text with each known word as ``[[phonemes]]``, or None if none stands in it."""
        entries = _entries(self.phonemes, lang)
        if not entries:
            return None
        marked, count = _pattern(tuple(entries)).subn(lambda m: f"[[{entries[m[0]]}]]", spoken)
        return marked if count else None


Lexicon.EMPTY = Lexicon()


def _plain(table: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    return {lang: dict(entries) for lang, entries in table.items() if entries}


def _entries(table: Mapping[str, Mapping[str, str]], lang: str) -> dict[str, str]:
    return {
        key: value for key, value in {**table.get(ANY, {}), **table.get(lang, {})}.items() if key
    }


@lru_cache(maxsize=64)
def _pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(keys, key=len, reverse=True)
    return re.compile("|".join(map(_whole_word, longest_first)))


def _whole_word(key: str) -> str:
    # A word's edge matters only where the entry ends in a Latin letter or a digit.
    before = r"(?<![A-Za-z0-9])" if key[0].isascii() and key[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if key[-1].isascii() and key[-1].isalnum() else ""
    return before + re.escape(key) + after
