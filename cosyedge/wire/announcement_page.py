"""The tables of docs/announcements.md, written from the code between their markers.

`python -m cosyedge.wire.announcement_page` writes them; with `--check` it only says if they are
out of date.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from cosyedge.core.announcement import CLASSES
from cosyedge.core.causes import CAUSES, Cause
from cosyedge.core.codes import CODES
from cosyedge.core.events import EventType

_MANY_REASONS = (EventType.REJECTED, EventType.FAILED, EventType.PARTIAL)
PAGE = Path(__file__).parents[2] / "docs" / "announcements.md"


def cause_table(causes: Iterable[Cause] = CAUSES) -> str:
    """Tell cause → event → reason in Markdown, with what to do where the reason is a code."""
    rows = [
        f"| {cause.happens} | `{cause.event}` | {_reason(cause)} | {'end' * cause.is_end} |"
        for cause in causes
    ]
    return "\n".join(["| cause | event | reason | |", "|---|---|---|---|", *rows])


def class_table() -> str:
    """List the classes with their priorities in Markdown."""
    rows = [f"| {name} | {priority} |" for name, priority in reversed(CLASSES.items())]
    return "\n".join(["| class | priority |", "|---|---|", *rows])


def mend_table(causes: Iterable[Cause] = CAUSES) -> str:
    """List the reasons that the causes give, with their meaning and mend, in Markdown."""
    reasons = dict.fromkeys(cause.reason for cause in causes if cause.reason is not None)
    rows = [f"| `{each}` | {CODES[each].meaning} | {CODES[each].mend} |" for each in reasons]
    return "\n".join(["| reason | meaning | mend |", "|---|---|---|", *rows])


def _reason(cause: Cause) -> str:
    if cause.reason is not None:
        return f"`{cause.reason}`"
    return "a code" if cause.event in _MANY_REASONS else ""


TABLES = {"classes": class_table, "causes": cause_table, "reasons": mend_table}


def refresh(page: str, tables: Mapping[str, Callable[[], str]] = TABLES) -> str:
    """Put today's tables between the markers of a page. Raises ValueError without a marker."""
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
        head, found_begin, rest = page.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not (found_begin and found_end):
            raise ValueError(f"the page has no place for {name}")
        page = f"{head}{begin}{table()}{end}{tail}"
    return page


def main(arguments: list[str], path: Path = PAGE) -> int:
    """Write the page, or with --check return 1 when it is out of date."""
    page = path.read_text("utf-8")
    fresh = refresh(page)
    if "--check" not in arguments:
        path.write_text(fresh, "utf-8")
    elif page != fresh:
        sys.stderr.write(
            "docs/announcements.md is out of date: run python -m cosyedge.wire.announcement_page\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
