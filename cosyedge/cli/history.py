"""``cosyedge history`` and ``cosyedge faults``: what the journal knows, daemon running or not."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated

import typer

from cosyedge.cli.options import ConfigOption, JsonOption
from cosyedge.core.announcement import class_of
from cosyedge.core.codes import CODES

if TYPE_CHECKING:
    from rich.table import Table

    from cosyedge.adapters.journal import EndedRow, Fault, JournalReader

JOURNAL = "journal.sqlite"
SERVICE_JOURNAL = Path("/var/lib/cosyedge") / JOURNAL
# Columns that somebody copies from: never broken into lines.
WHOLE = frozenset({"ended", "raised", "id"})
PIPE_WIDTH = 240
UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}

SinceOption = Annotated[
    str | None,
    typer.Option(
        help="Only what ended since: 90m, 24h, 7d, or 2026-12-01[T08:00].", metavar="TIME"
    ),
]


def register(app: typer.Typer) -> None:
    """Add both verbs."""
    app.command("history")(history)
    app.command("faults")(faults)


def history(
    config: ConfigOption = None,
    since: SinceOption = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List past announcements: when, by which topic, for which zones, and how they ended.

    Texts are not kept unless journal.history_text is on. The newest comes first.
    """
    rows = _journal(config).history(_since(since), limit)
    if as_json:
        typer.echo(json.dumps([_ended(row) for row in rows], ensure_ascii=False))
        return
    table = _table("ended", "id", "topic", "class", "zones", "outcome", "reason")
    for row in rows:
        zones = ", ".join(_zone(name, *result) for name, result in row.zones.items())
        table.add_row(
            _local(row.ended_at),
            row.id,
            row.topic,
            class_of(row.priority),
            zones,
            row.outcome,
            row.reason or "",
        )
    _print(table, "nothing has ended yet" if since is None else "nothing has ended since then")


def faults(
    config: ConfigOption = None,
    ack: Annotated[
        str | None, typer.Option(help="Acknowledge one by its id or name, or all.", metavar="ID")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the last 99 faults: what failed, since when, and what mends it.

    A fault stays here until it is acknowledged, also when it is over.
    """
    journal = _journal(config)
    if ack is not None:
        _acknowledge(journal, ack, as_json=as_json)
        return
    rows = journal.faults()
    if as_json:
        typer.echo(json.dumps([_fault(fault) for fault in rows], ensure_ascii=False))
        return
    table = _table("id", "part", "code", "raised", "over", "acknowledged", "what to do")
    for fault in rows:
        explanation = CODES.get(fault.code)
        table.add_row(
            str(fault.id),
            fault.name,
            fault.code,
            _local(fault.raised_at),
            _local(fault.cleared_at),
            _local(fault.acked_at),
            explanation.mend if explanation else "",
        )
    _print(table, "no faults")


def _acknowledge(journal: "JournalReader", ack: str, *, as_json: bool) -> None:
    which = _which(ack)
    if which is not None and not any(which in (fault.id, fault.name) for fault in journal.faults()):
        raise typer.BadParameter(f"there is no fault {ack!r}", param_hint="--ack")
    seen = journal.acknowledge(which)
    if as_json:
        typer.echo(json.dumps([_fault(fault) for fault in seen], ensure_ascii=False))
    else:
        typer.echo(f"{len(seen)} acknowledged")


def _journal(config: Path | None) -> "JournalReader":
    from cosyedge.adapters.journal import JournalReader
    from cosyedge.config import load_settings

    own = load_settings(config).paths.state_dir / JOURNAL
    # The service's state directory is known to its own environment alone.
    found = SERVICE_JOURNAL if not own.exists() and SERVICE_JOURNAL.exists() else own
    return JournalReader(found)


def _since(text: str | None) -> float:
    if text is None:
        return 0.0
    span = re.fullmatch(r"([0-9]{1,6})([smhdw])", text)
    if span:
        return time() - int(span[1]) * UNITS_S[span[2]]
    try:
        return datetime.fromisoformat(text).astimezone().timestamp()
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(f"{text!r} is no time", param_hint="--since") from error


def _which(ack: str) -> int | str | None:
    if ack == "all":
        return None
    return int(ack) if ack.isdecimal() else ack


def _zone(name: str, outcome: str, reason: str | None) -> str:
    return name if outcome == "finished" else f"{name} ({reason or outcome})"


def _ended(row: "EndedRow") -> dict[str, object]:
    line: dict[str, object] = {
        "id": row.id,
        "topic": row.topic,
        "received": _iso(row.received_at),
        "ended": _iso(row.ended_at),
        "class": class_of(row.priority),
        "priority": row.priority,
        "outcome": row.outcome,
        "reason": row.reason,
        "zones": {zone: list(result) for zone, result in row.zones.items()},
        **row.details,
    }
    if row.text is not None:
        line["payload"] = row.text.decode("utf-8", "replace")
    return line


def _fault(fault: "Fault") -> dict[str, object]:
    return {
        "id": fault.id,
        "name": fault.name,
        "code": fault.code,
        "raised": _iso(fault.raised_at),
        "cleared": _iso(fault.cleared_at),
        "acknowledged": _iso(fault.acked_at),
    }


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def _local(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _table(*headings: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading in WHOLE)
    return table


def _print(table: "Table", otherwise: str) -> None:
    from rich.console import Console

    if table.row_count:
        console = Console()
        # A pipe or a file has no width: a line stays a line.
        console = console if console.is_terminal else Console(width=PIPE_WIDTH)
        console.print(table)
    else:
        typer.echo(otherwise)
