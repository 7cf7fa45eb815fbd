"""Links, e-mail addresses and host names."""

import re

from cosyedge.text.cleaning import LINK
from cosyedge.text.grammar import Grammar
from cosyedge.text.rules.rule import Rule, after

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_EMAIL = (
    r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}@"
    rf"(?:{_LABEL}\.){{1,4}}[A-Za-z]{{2,12}}(?![A-Za-z0-9_])"
)
_HOST = (
    rf"(?<![A-Za-z0-9_@.-])(?:www\.)?((?:{_LABEL}\.){{1,4}}"
    r"(?:com|org|net|edu|gov|io|de|cn|jp|kr|hk|uk|eu|dev|app|info|local|lan|home|internal))"
    r"(?![A-Za-z0-9_-]|\.[A-Za-z0-9])(?:/[A-Za-z0-9_./?=&%#~-]{0,200}[A-Za-z0-9_/=])?"
)


def rules(grammar: Grammar) -> list[Rule]:
    """Give the rules that run first, on any text; a link at a sentence's end is not said."""

    def link(match: re.Match[str]) -> str:
        goes_on = re.match(r"[\s,]*\w", after(match))
        return grammar.link if goes_on and match.start() > 0 else ""

    return [
        Rule("link", re.compile(LINK), link, LINK),
        Rule("e-mail", re.compile(_EMAIL), lambda m: _address(grammar, m[0]), "@"),
        Rule("host", re.compile(_HOST), lambda m: _address(grammar, m[1]), "."),
    ]


def _address(grammar: Grammar, written: str) -> str:
    dot = f" {grammar.dot.strip()} "
    return written.replace("@", f" {grammar.at.strip()} ").replace(".", dot).replace("_", " ")
