"""A rule: what it looks for and what it says instead, under the name that --explain prints."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from cosyedge.text.options import Rewrite

Say = Callable[[re.Match[str]], str | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of rewriting; ``say`` gives None to leave the match as it stands.

    ``needs`` are characters of which one must stand in the text, else the search is spared.
    """

    name: str
    pattern: re.Pattern[str]
    say: Say
    needs: str = ""

    def apply(self, text: str, rewrites: list[Rewrite]) -> str:
        """Rewrite every match in ``text`` and note each in ``rewrites``."""
        if self.needs and not any(char in text for char in self.needs):
            return text

        def put(match: re.Match[str]) -> str:
            said = self.say(match)
            if said is None or said == match[0]:
                return match[0]
            rewrites.append(Rewrite(match[0], said, self.name))
            return said

        return self.pattern.sub(put, text)


def before(match: re.Match[str], chars: int = 32) -> str:
    """Give the text just in front of a match."""
    return match.string[max(0, match.start() - chars) : match.start()]


def after(match: re.Match[str], chars: int = 32) -> str:
    """Give the text just behind a match."""
    return match.string[match.end() : match.end() + chars]
