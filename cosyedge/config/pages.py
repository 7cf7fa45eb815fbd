"""The reference pages, config/cosyedge.toml and docs/configuration.md, written from the models.

`python -m cosyedge.config.pages` writes both; with `--check` it only says which is out of date.
"""

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from cosyedge.config.reference import Entry, Table, tables, toml_value

ROOT = Path(__file__).parents[2]
COMMENT_COLUMNS = 96

FILE_HEAD = """\
# cosyedge: every key with its default. Written from the code: see docs/configuration.md.
#
# A line `#key = value` is an example: the key has no default, or its table is yours to name.
# A line `# key: words` is an alternative to another key of its table.
# The environment wins over this file: COSYEDGE_<SECTION>__<KEY>, as in COSYEDGE_MQTT__HOST.
"""
PAGE_HEAD = """\
# Configuration

Written from the code by `python -m cosyedge.config.pages`; `make check` says when it is stale.

cosyedge reads one TOML file: the one named by `--config`, else `/etc/cosyedge/cosyedge.toml` if it
is there. Then the environment: `COSYEDGE_<SECTION>__<KEY>`, for example `COSYEDGE_MQTT__HOST` or
`COSYEDGE_MQTT__TLS__CA_FILE`; lists and tables as JSON; an empty variable counts as not set. With
no file at all the environment alone does.

A file that is named and missing, an unknown key and an unknown variable are errors that name it.
Secrets are read from files or systemd credentials only; a file that everybody can read is refused,
and so is a password inside an address.

With no zone configured there is one, `default`. A zone that names no output has all of `[outputs]`;
where none is configured it has `mqtt`, and `player` if a sound device exists.

`systemctl reload cosyedge` (SIGHUP) reads it again; a broken file keeps the old one.
"""


def toml_text() -> str:
    """Write config/cosyedge.toml."""
    return "\n".join([FILE_HEAD, *(_toml_table(table) for table in tables())])


def _toml_table(table: Table) -> str:
    lines = [f"# {table.about}", ("#" if table.free else "") + table.header]
    for entry in table.entries:
        lines += _toml_entry(entry, free=table.free)
    return "\n".join(lines) + "\n"


def _toml_entry(entry: Entry, *, free: bool) -> Iterator[str]:
    prefix = "" if entry.live and not free else "#"
    value = entry.default if entry.live and not free else entry.example
    if value is None:
        yield from _comment(f"{entry.key}: {entry.description}")
        return
    if entry.description:
        yield from _comment(entry.description)
    yield f"{prefix}{entry.key} = {toml_value(value)}"


def _comment(words: str) -> list[str]:
    return textwrap.wrap(words, COMMENT_COLUMNS, initial_indent="# ", subsequent_indent="# ")


def markdown_text() -> str:
    """Write docs/configuration.md."""
    parts = [PAGE_HEAD]
    for table in tables():
        rows = "\n".join(_row(entry) for entry in table.entries)
        head = "| key | kind | default | meaning |\n|---|---|---|---|"
        parts.append(f"## `{table.header}`\n\n{table.about}\n\n{head}\n{rows}\n")
    return "\n".join(parts)


def _row(entry: Entry) -> str:
    default = f"`{toml_value(entry.default)}`" if entry.live else ""
    if not entry.kind:
        return f"| `{entry.key}` | example | | `{toml_value(entry.example)}` |"
    return f"| `{entry.key}` | {entry.kind} | {default} | {entry.description} |"


PAGES = {"config/cosyedge.toml": toml_text, "docs/configuration.md": markdown_text}


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Write the pages below ``root``, or with --check return 1 and name the stale ones."""
    status = 0
    for name, text in PAGES.items():
        page = root / name
        if "--check" not in arguments:
            page.write_text(text(), "utf-8")
        elif not page.exists() or page.read_text("utf-8") != text():
            sys.stderr.write(f"{name} is out of date: run python -m cosyedge.config.pages\n")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
