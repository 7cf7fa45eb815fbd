"""``cosyedge run``, for a command line that does not begin with it."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb; the plain `cosyedge run` never comes here (see cosyedge.__main__)."""
    app.command("run")(run)


def run(
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="The configuration file.")
    ] = None,
) -> int:
    """Run the node: listen on MQTT, speak what comes, until SIGTERM."""
    from cosyedge.daemon import run as run_daemon

    return run_daemon(config)
