"""``cosyedge phrases``: the pinned phrases of a running node, and those still missing."""

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosyedge.cli.options import ConfigOption, JsonOption

if TYPE_CHECKING:
    from cosyedge.cli.broker import Reach
    from cosyedge.config import Settings


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("phrases")(phrases)


def phrases(
    node: Annotated[str | None, typer.Option(help="The node. Default: this box's.")] = None,
    host: Annotated[str | None, typer.Option(help="The broker. Default: the settings'.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The broker's port.")] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> int:
    """List the pinned phrases of a running node, and those still missing.

    Pinned phrases ([[phrases]] of the configuration) are synthesized while the node is idle and
    go on playing when the engine does not. Exit status 1 while some are missing.
    """
    from cosyedge.cli.broker import Reach
    from cosyedge.config import load_settings

    settings = load_settings(config)
    told = asyncio.run(_ask(settings, Reach(host, port), node or settings.node.name))
    missing = set(told.get("missing", ()))
    if as_json:
        typer.echo(json.dumps(told, ensure_ascii=False))
    else:
        for text in told.get("phrases", ()):
            typer.echo(f"{'missing' if text in missing else 'pinned ':<8} {text}")
    return int(bool(missing))


async def _ask(settings: "Settings", reach: "Reach", node: str) -> dict[str, Any]:
    from cosyedge.adapters.mqtt.visit import visiting
    from cosyedge.cli.asking import ask
    from cosyedge.cli.broker import visitor_settings
    from cosyedge.wire.topics import Topics

    async with visiting(visitor_settings(settings, reach)) as visitor:
        return await ask(visitor, Topics(settings.node.base, node), "phrases")
