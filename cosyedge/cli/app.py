"""The verbs of ``cosyedge``: listed without loading them, carried out with one-line errors."""

import os
import sys
from importlib import import_module
from types import TracebackType
from typing import Annotated, Any, NoReturn

import typer
import typer.core
import typer.main

from cosyedge.core.errors import CosyedgeError, SettingsError

USAGE, FAILURE, INTERRUPTED, BROKEN_PIPE = 2, 1, 130, 141
# Typer carries a copy of click since 0.26; through its public names this works with either.
UsageFault: type[Exception] = typer.BadParameter.__mro__[2]
CONTEXT = {"help_option_names": ["-h", "--help"]}

VERBS: dict[str, tuple[str, str]] = {
    "run": ("run", "Run the node: listen on MQTT, speak what comes."),
    "say": ("say", "Speak a text here and now, without a broker."),
    "announce": ("announce", "Send a text to a running node and follow what becomes of it."),
    "voices": ("voices", "List the voices of this box, or verify one."),
    "phrases": ("phrases", "List the pinned phrases and those still missing."),
    "normalize": ("normalize", "Show how a text will be read aloud."),
    "history": ("history", "List past announcements and how they ended."),
    "faults": ("history", "List the faults that were seen, or acknowledge one."),
    "doctor": ("doctor", "Check this box and its broker, and say what to mend."),
    "schema": ("schema", "Print the JSON Schema of what a node reads and writes."),
    "bench": ("bench", "Measure speed and memory on this box."),
    "export": ("export", "Make a voice from a published checkpoint."),
}


class Verbs(typer.core.TyperGroup):
    """The table above as a group; a verb's module is imported when the verb is called."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the verbs in the order in which a newcomer needs them."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a verb; while the list is printed, its one line is enough."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module, summary = VERBS[cmd_name]
        if self._listing:
            return typer.core.TyperCommand(cmd_name, help=summary)
        holder = new_app()
        import_module(f"cosyedge.cli.{module}").register(holder)
        return typer.main.get_group(holder).commands[cmd_name]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the list without importing what it lists."""
        self._listing = True
        super().format_help(ctx, formatter)
        self._listing = False


def new_app(**settings: Any) -> typer.Typer:
    """Make a group of verbs with the project's manners."""
    return typer.Typer(
        context_settings=CONTEXT,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        **settings,
    )


app = new_app(cls=Verbs)


@app.callback(invoke_without_command=True)
def cosyedge(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.")
    ] = False,
) -> None:
    """Announcements for edge boxes: MQTT in, speech out.

    Start with `cosyedge say "Hello"`, then `cosyedge run`, and from another terminal
    `cosyedge announce "The washing machine is done."`. Each verb has its own --help.
    """
    if version:
        from importlib.metadata import version as version_of

        typer.echo(f"cosyedge {version_of('cosyedge')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(words: list[str]) -> int:
    """Carry out one verb and give its exit status; never a traceback for what we foresee."""
    sys.excepthook = _say_unforeseen
    command = typer.main.get_command(app)
    try:
        status = command.main(words, prog_name="cosyedge", standalone_mode=False)
        sys.stdout.flush()
    except UsageFault as error:
        return _complain(_usage(error), USAGE)
    except SettingsError as error:
        return _complain(str(error), USAGE)
    except CosyedgeError as error:
        return _complain(str(error), FAILURE)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
    return status if isinstance(status, int) else 0


def _usage(error: Any) -> str:
    context = getattr(error, "ctx", None)
    hint = f"; see {context.command_path} --help" if context else ""
    return " ".join(error.format_message().split()).rstrip(".") + hint


def _complain(message: str, status: int) -> int:
    sys.stderr.write(f"cosyedge: {message}\n")
    return status


def _say_unforeseen(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Be brief also about a fault of our own; `python -X dev -m cosyedge` shows where it is."""
    if sys.flags.dev_mode:
        sys.__excepthook__(kind, error, trace)
    else:
        _complain(f"a fault of cosyedge itself: {kind.__name__}: {error}", FAILURE)


def _drop_output() -> NoReturn:
    """End quietly: nobody reads on, and Python's flush at exit must not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(BROKEN_PIPE)
