"""Signs and abbreviations that a person says as words."""

import re

from cosyedge.text.grammar import Grammar, alternation
from cosyedge.text.rules.rule import Rule


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for abbreviations and signs: run last, after every number is a word."""
    signs = grammar.signs

    def sign(match: re.Match[str]) -> str:
        return f" {signs[match[0].strip()]} " if grammar.spaced else signs[match[0].strip()]

    return [
        *_abbreviations(grammar),
        Rule("sign", re.compile(rf"\s?(?:{alternation(tuple(signs))})\s?"), sign, "".join(signs)),
    ]


def _abbreviations(grammar: Grammar) -> list[Rule]:
    # One search for all of them: fifty searches took 0.2 ms a sentence.
    said = [words for _, words in grammar.abbreviations]
    any_of = "|".join(f"({pattern})" for pattern, _ in grammar.abbreviations)
    # Only at a word's beginning, where the script has blanks to tell it by: five times as fast.
    pattern = rf"\b(?=[^\W\d])(?:{any_of})" if grammar.spaced else any_of
    return [Rule("abbreviation", re.compile(pattern), lambda m: said[(m.lastindex or 1) - 1])]


def early_rules(grammar: Grammar) -> list[Rule]:
    """Give the rules for signs that belong to a number: run before the number is read."""
    return [
        Rule(
            "about",
            re.compile(r"(?<![\d\w%°)])[~～∼≈]\s?(?=[\d.$€£¥-])"),
            lambda _: grammar.about,
            "~～∼≈",
        ),
        Rule(
            "number sign",
            re.compile(
                r"(?:(?<![A-Za-z0-9])#|(?<![A-Za-z])[Nn][oO]\.?\s?|№\s?)(\d+)(?![A-Za-z0-9])"
            ),
            lambda m: grammar.numbered(m[1]),
            "#No№",
        ),
        Rule(
            "number sign",
            re.compile(r"(?<![A-Za-z0-9.])(\d+)\s?#(?![A-Za-z0-9])"),
            lambda m: grammar.numbered(m[1]),
            "#",
        ),
    ]
