"""``cosyedge voices``: what can speak on this box."""

import json
from importlib import import_module
from typing import TYPE_CHECKING

import typer

from cosyedge.cli.app import new_app
from cosyedge.cli.options import ConfigOption, JsonOption

if TYPE_CHECKING:
    from cosyedge.adapters.voice_folder import Shelf


def register(app: typer.Typer) -> None:
    """Add the verb and what stands below it."""
    group = new_app(invoke_without_command=True)
    group.callback()(voices)
    group.command("list")(list_voices)
    import_module("cosyedge.cli.verify").register(group)
    app.add_typer(group, name="voices", help=voices.__doc__)


def voices(
    context: typer.Context, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """List the voices of this box, or verify one.

    A voice is a folder with a manifest.toml: in voices/ of the state directory, in
    /etc/cosyedge/voices, or one that comes with cosyedge. The first that has a name wins.
    """
    if context.invoked_subcommand is None:
        list_voices(config, as_json)


def list_voices(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the voices: languages, licence, rate, and why one of them cannot speak."""
    from cosyedge.adapters.voice_folder import find_voices, search_order
    from cosyedge.config import load_settings

    settings = load_settings(config)
    shelf = find_voices(search_order(settings.paths.state_dir))
    if as_json:
        typer.echo(json.dumps(_rows(shelf), ensure_ascii=False))
    else:
        _print_table(shelf, settings.engine.voice)


def _rows(shelf: "Shelf") -> list[dict[str, object]]:
    names = sorted({*shelf.voices, *shelf.faults})
    return [_row(shelf, name) for name in names]


def _row(shelf: "Shelf", name: str) -> dict[str, object]:
    fault = shelf.faults.get(name)
    found = shelf.voices.get(name)
    row: dict[str, object] = {"name": name, "fault": str(fault) if fault else None}
    if found is not None:
        voice = found.voice
        row |= {
            "engine": voice.engine,
            "languages": list(voice.languages),
            "speakers": list(voice.speakers),
            "rate_hz": voice.rate_hz,
            "licence": voice.licence,
            "folder": str(found.folder),
        }
    return row


def _print_table(shelf: "Shelf", default: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("voice", "languages", "rate", "licence", "state"):
        table.add_column(heading, overflow="fold")
    for row in _rows(shelf):
        languages = row.get("languages")
        state = row["fault"] or ("default" if row["name"] == default else "ready")
        table.add_row(
            str(row["name"]),
            ", ".join(languages) if isinstance(languages, list) else "",
            f"{row['rate_hz']} Hz" if "rate_hz" in row else "",
            str(row.get("licence", "")),
            str(state),
        )
    Console().print(table)
