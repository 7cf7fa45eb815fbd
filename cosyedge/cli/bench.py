"""``cosyedge bench``: speed and memory on this box, printed side by side or as JSON."""

import json
from collections.abc import Callable
from importlib import import_module

import typer

from cosyedge.cli.app import new_app
from cosyedge.cli.options import JsonOption

BENCHES = {
    "announce": "A real node behind mosquitto: latencies, a burst, memory (the default; 50 s).",
    "text": "Reading texts aloud: milliseconds for 60 characters and for a KiB.",
    "queue": "Priorities and pre-emption, and 10,000 announcements in simulated time.",
    "cosyvoice": "The CosyVoice engine at full size with random weights (minutes).",
}


def register(app: typer.Typer) -> None:
    """Add the verb with one verb a bench below it."""
    group = new_app(invoke_without_command=True)
    group.callback()(bench)
    for name, summary in BENCHES.items():
        group.command(name, help=summary)(_bench_of(name))
    app.add_typer(group, name="bench", help=bench.__doc__)


def bench(context: typer.Context, as_json: JsonOption = False) -> None:
    """Measure speed and memory on this box.

    Without a name it is `announce`, which needs mosquitto (apt install mosquitto). Nothing is
    sent anywhere; the figures of our machine are in docs/benchmarks.md.
    """
    if context.invoked_subcommand is None:
        _run("announce", as_json)


def _bench_of(name: str) -> Callable[..., None]:
    def run(as_json: JsonOption = False) -> None:
        _run(name, as_json)

    return run


def _run(name: str, as_json: bool) -> None:
    figures = import_module(f"cosyedge.bench.{name}").measure()
    if as_json:
        typer.echo(json.dumps(figures))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "value", box=None, pad_edge=False)
    for key, value in figures.items():
        table.add_row(key, f"{value:.3f}" if isinstance(value, float) else str(value))
    Console().print(table)
