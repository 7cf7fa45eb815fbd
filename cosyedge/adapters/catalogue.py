"""The journal's catalogue: what `journalctl -x` says about an entry, and how to mend it.

``python -m cosyedge.adapters.catalogue [--check]`` writes systemd/cosyedge.catalog.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid5

from cosyedge.core.codes import CODES
from cosyedge.core.events import EventType

# Each MESSAGE_ID is made of this and the code or event that it stands for: never change it.
NAMESPACE = UUID("b3a1c8de-52f0-4c55-9a3e-7d3a1f0c6e21")

EVENTS: dict[str, str] = {
    EventType.ACCEPTED: "The announcement was journalled and waits for its zones.",
    EventType.REJECTED: "The message was refused and will not be spoken.",
    EventType.STARTED: "Its first sample has sounded.",
    EventType.FINISHED: "It was spoken to its end in every zone.",
    EventType.PARTIAL: "Some of it was spoken, or some zones spoke it.",
    EventType.FAILED: "It could not be spoken.",
    EventType.EXPIRED: "Its time to live ran out before it could be spoken.",
    EventType.CANCELLED: "It was ended before its time, by a command or by a newer one.",
    EventType.SUPPRESSED: "Its zones were muted or quiet.",
    "fault": "A part of cosyedge has failed, or works again. See `cosyedge faults`.",
    "flood": "More messages came than the limits allow; the rest was refused.",
}
OF_THE_NODE = frozenset({"fault", "flood"})


def message_id(event: str | None, code: str | None) -> str | None:
    """The MESSAGE_ID of a code, else of an event, where the catalogue has one."""
    if code in CODES:
        return _id(f"code/{code}")
    if event in EVENTS:
        return _id(f"event/{event}")
    return None


def catalogue() -> str:
    """The whole file."""
    return "\n".join(_entries()).rstrip() + "\n"


def _entries() -> Iterator[str]:
    yield "# Written by python -m cosyedge.adapters.catalogue; see docs/journal.md.\n"
    for event, meaning in EVENTS.items():
        subject = (
            f"cosyedge: {event}" if event in OF_THE_NODE else f"Announcement @COSYEDGE_ID@: {event}"
        )
        yield _entry(f"event/{event}", subject, meaning)
    for code, explanation in CODES.items():
        text = (
            f"Code {code}: {explanation.meaning}.\n\n"
            f"What to do: {explanation.mend}.\n\n"
            "The story of an announcement: journalctl COSYEDGE_ID=<its id>\n"
            "All fields of this entry: journalctl -o verbose MESSAGE_ID="
            f"{_id(f'code/{code}')}"
        )
        yield _entry(f"code/{code}", f"cosyedge: {explanation.meaning}", text)


def _entry(key: str, subject: str, text: str) -> str:
    return f"-- {_id(key)}\nSubject: {subject}\nDefined-By: cosyedge\n\n{text}\n"


def _id(key: str) -> str:
    return uuid5(NAMESPACE, key).hex


def main(arguments: list[str]) -> int:
    """Write the file, or with --check say whether it is up to date."""
    path = Path(__file__).parents[2] / "systemd" / "cosyedge.catalog"
    if arguments == ["--check"]:
        if path.is_file() and path.read_text() == catalogue():
            return 0
        sys.stderr.write(f"{path.name} is out of date: make docs\n")
        return 1
    path.parent.mkdir(exist_ok=True)
    path.write_text(catalogue())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
