"""Text to the ids that the model was trained on: byte-pair encoding with Whisper's ranks.

Only ordinary text exists here: ``<|zh|>`` in a message is eight characters, never a control token.
"""

import base64
import re
import unicodedata
from itertools import pairwise
from pathlib import Path

from cosyedge.core.errors import EngineFailure

CONTRACTION = re.compile(r"'(?:s|t|re|ve|m|ll|d)")
# Over a string of classes: L letter, N number, S blank, O any other; ' ' is the plain space.
CHUNK = re.compile(r" ?L+| ?N+| ?O+|[ S]+(?![^ S])|[ S]+")


class Tokenizer:
    """Encodes text with ranks in tiktoken's file format: base64 bytes and a rank a line."""

    def __init__(self, vocabulary: Path) -> None:
        """Read the ranks; raises EngineFailure (model_missing, model_invalid)."""
        try:
            lines = vocabulary.read_bytes().splitlines()
            pairs = [line.split() for line in lines if line]
            self._ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
        except FileNotFoundError:
            raise EngineFailure("model_missing", f"{vocabulary.name} is not there") from None
        except (OSError, ValueError) as error:
            raise EngineFailure("model_invalid", f"{vocabulary.name} cannot be read") from error
        if any(bytes([byte]) not in self._ranks for byte in range(256)):
            raise EngineFailure("model_invalid", f"{vocabulary.name} lacks single bytes")
        self.highest = max(self._ranks.values())

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``; every text has some, since every byte has one."""
        ids: list[int] = []
        for chunk in chunks(text):
            data = chunk.encode(errors="replace")
            whole = self._ranks.get(data)
            ids.extend([whole] if whole is not None else self._merge(data))
        return ids

    def _merge(self, data: bytes) -> list[int]:
        """Join the neighbours of the lowest rank until no joint stands in the vocabulary."""
        parts = [bytes([byte]) for byte in data]
        while len(parts) > 1:
            joints = [self._ranks.get(left + right) for left, right in pairwise(parts)]
            known = [rank for rank in joints if rank is not None]
            if not known:
                break
            at = joints.index(min(known))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self._ranks[part] for part in parts]


def chunks(text: str) -> list[str]:
    """Cut ``text`` as GPT-2 does, before bytes are joined; nothing is lost.

    Its pattern needs Unicode classes that the standard library's expressions do not know, so the
    expression runs over a string of classes of the same length.
    """
    classes = "".join(_class(char) for char in text)
    found: list[str] = []
    at = 0
    while at < len(text):
        match = CONTRACTION.match(text, at) or CHUNK.match(classes, at)
        end = match.end() if match else at + 1
        found.append(text[at:end])
        at = end
    return found


def _class(char: str) -> str:
    if char == " ":
        return " "
    if char.isspace():
        return "S"
    category = unicodedata.category(char)[0]
    return category if category in "LN" else "O"
