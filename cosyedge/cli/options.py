"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ConfigOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        help="Configuration file. Default: /etc/cosyedge/cosyedge.toml if it is there, "
        "then COSYEDGE_... variables.",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
