"""``cosyedge doctor``: everything that can be wrong with a box, one line each, with its mend."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cosyedge.cli.options import ConfigOption, JsonOption

if TYPE_CHECKING:
    from cosyedge.cli.findings import Finding
    from cosyedge.config import Settings

MARKS = {"ok": ("ok", "green"), "warning": ("warn", "yellow"), "bad": ("BAD", "bold red")}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("doctor")(doctor)


def doctor(
    bundle: Annotated[
        Path | None,
        typer.Option(help="Also write a report to attach to a bug; secrets and texts left out."),
    ] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> int:
    """Check this box and its broker, and say what to mend: one line each.

    It reads the configuration, opens the broker and the sound device as the daemon would, hashes
    the voice's files and speaks one word (without a sound). Exit status 1 if something is bad.
    """
    from cosyedge.config import load_settings

    settings = load_settings(config)
    findings = asyncio.run(_examine(settings, show=not as_json))
    if as_json:
        typer.echo(json.dumps([finding.as_dict() for finding in findings], ensure_ascii=False))
    if bundle is not None:
        from cosyedge.cli.bundle import write_bundle

        write_bundle(bundle, settings, findings)
        typer.echo(f"{bundle}: read it before you send it", err=True)
    return int(any(finding.state == "bad" for finding in findings))


async def _examine(settings: "Settings", *, show: bool) -> list["Finding"]:
    findings = []
    async for finding in _findings(settings):
        findings.append(finding)
        if show:
            _print(finding)
    return findings


async def _findings(settings: "Settings") -> AsyncIterator["Finding"]:
    from cosyedge.cli.check_box import check_box
    from cosyedge.cli.check_voice import check_voices
    from cosyedge.cli.check_ways import check_broker, check_players

    for finding in check_box(settings):
        yield finding
    for check in (check_broker, check_players, check_voices):
        async for finding in check(settings):
            yield finding


def _print(finding: "Finding") -> None:
    from rich.console import Console
    from rich.text import Text

    word, colour = MARKS[finding.state]
    line = Text()
    line.append(f"{word:<5}", colour)
    line.append(f"{finding.about}: {finding.fact}")
    if finding.mend:
        line.append(f" → {finding.mend}", "italic")
    Console(highlight=False, soft_wrap=True).print(line)
