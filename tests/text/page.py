"""The table of docs/text.md, written from the cases.

`python -m tests.text.page` writes it; with `--check` it only says if it is out of date.
"""

import sys
from pathlib import Path

from cosyedge.text import ReadingOptions, read
from tests.text.cases import Case, load

PAGE = Path(__file__).parents[2] / "docs" / "text.md"
LANGS = ("en", "zh", "yue", "ja", "ko", "de")
BEGIN, END = "<!-- kinds -->\n", "\n<!-- end of kinds -->"


def kinds_table() -> str:
    """Give each kind with its rules and one example a language, in Markdown."""
    rows = ["| kind | rules | | text | spoken |", "|---|---|---|---|---|"]
    cases = [case for case in load() if not case.error]
    for kind in sorted({case.kind for case in cases}):
        rows += _rows(kind, [case for case in cases if case.kind == kind])
    return "\n".join(rows)


def _rows(kind: str, cases: list[Case]) -> list[str]:
    rows = []
    rules = ", ".join(sorted({rule for case in cases for rule in _rules(case)}))
    for lang in LANGS:
        case = next((case for case in cases if case.lang == lang), None)
        if case:
            spoken = read(case.text, ReadingOptions(lang=lang)).spoken
            rows.append(f"| {kind} | {rules} | {lang} | {_cell(case.text)} | {_cell(spoken)} |")
            kind = rules = ""
    return rows


def _rules(case: Case) -> set[str]:
    return {rewrite.rule for rewrite in read(case.text, ReadingOptions(lang=case.lang)).rewrites}


def _cell(text: str) -> str:
    shown = "".join(char if char.isprintable() else "⏎" if char == "\n" else "·" for char in text)
    return f"`` {shown} ``".replace("|", "\\|")


def refresh(page: str) -> str:
    """Put today's table between the markers. Raises ValueError without a marker."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError("the page has no place for the kinds")
    return f"{head}{BEGIN}{kinds_table()}{END}{tail}"


def main(arguments: list[str], path: Path = PAGE) -> int:
    """Write the page, or with --check return 1 when it is out of date."""
    page = path.read_text("utf-8")
    fresh = refresh(page)
    if "--check" not in arguments:
        path.write_text(fresh, "utf-8")
    elif page != fresh:
        sys.stderr.write(f"{path.name} is out of date: python -m tests.text.page\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
