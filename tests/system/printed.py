"""Run what a page of the documentation prints: its shell lines, and its files."""

import re
from dataclasses import dataclass

from tests.system.box import Box
from tests.system.wheelhouse import REPOSITORY

BLOCK = re.compile(r"^```(sh|conf|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; ``path`` where its first line names a file."""

    language: str
    text: str

    @property
    def path(self) -> str | None:
        first = self.text.split("\n", 1)[0]
        return first.removeprefix("# ") if first.startswith("# /") else None


def blocks(page: str) -> list[Block]:
    """The blocks of docs/<page> in their order."""
    found = BLOCK.findall((REPOSITORY / "docs" / page).read_text())
    return [Block(language, text) for language, text in found]


def carry_out(box: Box, page: str) -> None:
    """Do in the box what the page tells its reader, as printed."""
    for block in blocks(page):
        if block.path is not None:
            box.write(block.path, block.text)
        elif block.language == "sh":
            box.shell(block.text)
