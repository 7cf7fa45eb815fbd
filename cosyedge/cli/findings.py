"""What doctor finds: one fact, how bad it is, and its mend."""

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from cosyedge.core.codes import CODES
from cosyedge.core.errors import CosyedgeError

State: TypeAlias = Literal["ok", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of doctor; ``mend`` is empty where nothing is to be done."""

    about: str
    state: State
    fact: str
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        """Give the fields for JSON."""
        return asdict(self)


def ok(about: str, fact: str) -> Finding:
    """All is well."""
    return Finding(about, "ok", fact)


def warning(about: str, fact: str, mend: str) -> Finding:
    """It works, but not as well as it could."""
    return Finding(about, "warning", fact, mend)


def bad(about: str, fact: str, mend: str) -> Finding:
    """It does not work."""
    return Finding(about, "bad", fact, mend)


def failure(about: str, error: CosyedgeError) -> Finding:
    """A failure that cosyedge names, with the mend of its code."""
    return bad(about, f"{error.code}: {error}", CODES[error.code].mend)
