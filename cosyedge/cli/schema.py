"""``cosyedge schema``: the contract as JSON Schema, from the models that parse it."""

import json

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("schema")(schema)


def schema() -> None:
    """Print the JSON Schema of every payload that a node reads and writes.

    Each kind (say, cancel, prefetch, event, ...) is a definition under $defs; hand it to your
    editor or your flow, or check a payload against it before you send it.
    """
    from cosyedge.wire.schema import schema as contract

    typer.echo(json.dumps(contract(), indent=2, ensure_ascii=False))
