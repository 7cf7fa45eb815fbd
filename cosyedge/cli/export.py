"""``cosyedge export``: voices made from published checkpoints, or from nothing for benchmarks."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from cosyedge.cli.app import new_app
from cosyedge.core.errors import SettingsError

NEEDED = ("onnx", "yaml", "tomli_w")


class PrecisionName(StrEnum):
    """How weights are stored."""

    INT8 = "int8"
    FP32 = "fp32"


class SizeName(StrEnum):
    """Sizes of a random model."""

    FULL = "full"
    TINY = "tiny"


ModelArgument = Annotated[
    Path,
    typer.Argument(
        help="The official folder: llm.pt, flow.pt, hift.pt, spk2info.pt, cosyvoice.yaml."
    ),
]
OutArgument = Annotated[Path, typer.Argument(help="The voice's folder; its name is the voice's.")]
PrecisionOption = Annotated[
    PrecisionName, typer.Option("--precision", help="int8 to speak with, fp32 to compare with.")
]
VocabOption = Annotated[
    Path | None,
    typer.Option(
        "--vocab",
        help="multilingual.tiktoken of the package openai-whisper; without "
        "it the bundle can be verified, but not speak.",
    ),
]
SizeOption = Annotated[SizeName, typer.Option("--size", help="full: 300 million parameters.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the weights.")]


def register(app: typer.Typer) -> None:
    """Add the verb and what stands below it."""
    group = new_app()
    group.callback()(export)
    group.command("cosyvoice")(cosyvoice)
    group.command("random-cosyvoice")(random_cosyvoice)
    app.add_typer(group, name="export", help=export.__doc__)


def export() -> None:
    """Make a voice from a published checkpoint."""


def cosyvoice(
    model_dir: ModelArgument,
    out_dir: OutArgument,
    precision: PrecisionOption = PrecisionName.INT8,
    vocab: VocabOption = None,
) -> None:
    """Make a voice from the official CosyVoice-300M-SFT folder.

    Nothing in the folder is executed, and PyTorch is not needed. A run that was interrupted goes
    on where it stopped.
    """
    _check_extra()
    from cosyedge.export.bundle import Order, write_bundle
    from cosyedge.export.source import open_source

    with ExitStack() as stack:
        source = open_source(model_dir, stack)
        order = Order(out_dir, precision.value, _vocabulary(vocab), "CosyVoice-300M-SFT")
        with _progress() as told:
            write_bundle(source, order, told)
    typer.echo(f"{out_dir} is written; try: cosyedge voices verify {out_dir}")


def random_cosyvoice(
    out_dir: OutArgument,
    size: SizeOption = SizeName.FULL,
    seed: SeedOption = 0,
    precision: PrecisionOption = PrecisionName.INT8,
    vocab: VocabOption = None,
) -> None:
    """Make a voice of random weights: noise to hear, but true in speed and memory."""
    _check_extra()
    from cosyedge.export.bundle import Order, write_bundle
    from cosyedge.export.random_model import SIZES, random_source, single_bytes

    with ExitStack() as stack:
        vocabulary = _vocabulary(vocab) or stack.enter_context(single_bytes())
        order = Order(out_dir, precision.value, vocabulary, f"random weights, seed {seed}")
        with _progress() as told:
            write_bundle(random_source(SIZES[size.value], seed), order, told)
    typer.echo(f"{out_dir} is written")


def _check_extra() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        hint = "pip install '/path/to/cosyedge[export]'"
        raise SettingsError("settings", f"{names} not installed: {hint}")


def _vocabulary(path: Path | None) -> Path | None:
    if path is None:
        return None
    from cosyedge.core.errors import EngineFailure
    from cosyedge.engine.cosyvoice.tokenizer import Tokenizer

    try:
        Tokenizer(path)
    except EngineFailure as error:
        raise SettingsError(error.code, str(error)) from error
    return path


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar on a terminal's error stream, and nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:18}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=None)

        def told(part: str, number: int, count: int) -> None:
            bar.update(task, description=part, completed=number - 1, total=count)

        yield told
        bar.update(task, description="done", completed=1, total=1)
