"""The cases of the text door, and how a spoken form is compared."""

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).with_name("cases.jsonl")


@dataclass(frozen=True, slots=True)
class Case:
    """A text with its accepted spoken forms, or the code it is refused with."""

    id: str
    lang: str
    kind: str
    text: str
    spoken: tuple[str, ...] = ()
    error: str | None = None


def load() -> list[Case]:
    """Read the cases, a line each."""
    return [_case(json.loads(line)) for line in PATH.read_text("utf-8").splitlines()]


def _case(row: dict[str, object]) -> Case:
    if "text_repeat" in row:
        piece, times = row.pop("text_repeat")
        row["text"] = piece * times
    return Case(**{**row, "spoken": tuple(row.get("spoken", ()))})


def comparable(spoken: str) -> str:
    """Fold case; punctuation is a blank, and no blank stands beside what is not ASCII."""
    folded = unicodedata.normalize("NFC", spoken).casefold()
    plain = "".join(" " if unicodedata.category(char)[0] in "PS" else char for char in folded)
    return re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", " ".join(plain.split()))
