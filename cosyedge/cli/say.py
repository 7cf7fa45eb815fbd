"""``cosyedge say``: speak here and now, without a broker or a daemon."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cosyedge.cli.options import ConfigOption

if TYPE_CHECKING:
    from cosyedge.core.speech import Speech

FORMATS = ("wav", "flac", "mp3", "opus", "pcm")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("say")(say)


def say(
    text: Annotated[str, typer.Argument(help="The text to speak.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write a file (.wav, .flac, .mp3, .opus, .pcm) and play nothing."
        ),
    ] = None,
    voice: Annotated[str | None, typer.Option(help="A voice; see cosyedge voices.")] = None,
    speed: Annotated[float | None, typer.Option(min=0.5, max=2.0, help="Speed, 0.5 to 2.")] = None,
    lang: Annotated[str | None, typer.Option(help="Language, such as en or zh.")] = None,
    config: ConfigOption = None,
) -> None:
    """Speak a text here and now, without a broker.

    It goes through the same reading, worker and voice as the daemon's announcements. Without -o
    it is played on the default sound device; where there is none, it says so.

    \b
    Examples:
      cosyedge say "The front door opened."
      cosyedge say -o door.wav "The front door opened."
    """
    import asyncio

    from cosyedge.cli.speaking import Wish, speak, speak_aloud
    from cosyedge.config import load_settings

    form = _format(output) if output is not None else ""
    settings = load_settings(config)
    wish = Wish(text, voice, lang, speed)
    if output is not None:
        _write(asyncio.run(speak(settings, wish)), output, form)
    else:
        speech = asyncio.run(speak_aloud(settings, wish))
        typer.echo(f"{speech.duration_s:.2f} s spoken")


def _format(output: Path) -> str:
    suffix = output.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise typer.BadParameter(f"{output}: the name must end in one of .{', .'.join(FORMATS)}")
    if not output.absolute().parent.is_dir():
        raise typer.BadParameter(f"{output}: there is no such directory")
    return suffix


def _write(speech: "Speech", output: Path, form: str) -> None:
    from cosyedge.adapters.encoding import encode
    from cosyedge.core.errors import StorageFailure

    content = encode(speech, form)
    try:
        output.write_bytes(content)
    except OSError as error:
        raise StorageFailure("disk", f"{output}: {error.strerror}") from error
    typer.echo(f"{output}: {speech.duration_s:.2f} s, {len(content)} bytes")
