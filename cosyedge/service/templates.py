"""Templates: announcements with slots, per language, and all their fillings for the cache."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from cosyedge.core.errors import Refusal

SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]{0,63})\}")
MOST_FILLINGS = 256

Templates = Mapping[str, Mapping[str, str]]
Value = str | int | float


def find(templates: Templates, name: str, lang: str | None) -> tuple[str, str]:
    """The language and the wording of a template; its first language where ``lang`` is absent.

    Raises Refusal for a name that is not there.
    """
    wordings = templates.get(name)
    if not wordings:
        raise Refusal("invalid_value", f"no template is called {name!r}", field="template")
    chosen = lang if lang is not None and lang in wordings else next(iter(wordings))
    return chosen, wordings[chosen]


def fill(wording: str, slots: Mapping[str, Value]) -> str:
    """Put values into slots. Raises Refusal naming the slot that has none."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in slots:
            raise Refusal("invalid_value", f"the slot {match[1]} is missing", field="slots")
        return str(slots[match[1]])

    return SLOT.sub(value, wording)


def fillings(wording: str, values: Mapping[str, Sequence[Value]]) -> Iterator[str]:
    """Every combination of the slots' values, 256 at most. Raises Refusal."""
    names = list(dict.fromkeys(SLOT.findall(wording)))
    missing = [name for name in names if name not in values]
    if missing:
        raise Refusal("invalid_value", f"the slot {missing[0]} is missing", field="slots")
    combinations = itertools.product(*(values[name] for name in names))
    for combination in itertools.islice(combinations, MOST_FILLINGS):
        yield fill(wording, dict(zip(names, combination, strict=True)))
