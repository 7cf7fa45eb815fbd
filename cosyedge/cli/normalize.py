"""``cosyedge normalize``: show how a text will be read aloud."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosyedge.core.errors import Refusal, SettingsError

if TYPE_CHECKING:
    from cosyedge.text import Reading, ReadingOptions

FAILURE = 1


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("normalize")(normalize_command)


def normalize_command(
    text: Annotated[str | None, typer.Argument(help="The text; - reads it from stdin.")] = None,
    lang: Annotated[
        str, typer.Option("--lang", "-l", help="en, zh, yue, ja, ko, de, another code, or auto.")
    ] = "auto",
    markup: Annotated[str, typer.Option(help="none or ssml.")] = "none",
    explain: Annotated[bool, typer.Option(help="Show each rewriting and its rule.")] = False,
    jsonl: Annotated[
        bool, typer.Option(help="Read objects {id, lang, text} from stdin, answer a line each.")
    ] = False,
) -> int:
    """Print a text as it will be spoken, a sentence a line.

    Exit status 1 when it is refused; with --jsonl refusals are part of the answers.

    \b
    Examples:
      cosyedge normalize "Pump E-100 in room A-205: 85.5°C at 10:05."
      cosyedge normalize --lang zh --explain "室外 -3°C，现在 10:05"
      cosyedge normalize --jsonl < texts.jsonl
    """
    if jsonl:
        return _answer_lines()
    if text is None:
        raise SettingsError("settings", "give a text, - or --jsonl", field="TEXT")
    written = sys.stdin.read() if text == "-" else text
    try:
        reading = _read(written, _options(lang, markup))
    except Refusal as refusal:
        typer.echo(f"refused: {refusal.code}: {refusal}", err=True)
        return FAILURE
    for line in lines_of(reading, explain):
        typer.echo(line)
    return 0


def lines_of(reading: "Reading", explain: bool) -> list[str]:
    """Give the lines of the answer: what is said, then each rewriting, then warnings."""
    said = [
        f"[pause {utterance.pause_before_s:g} s] {utterance.spoken}"
        if utterance.pause_before_s
        else utterance.spoken
        for utterance in reading.utterances
    ]
    if not explain:
        return said
    rewritten = [f"  {rewrite}" for rewrite in reading.rewrites]
    return [*said, *rewritten, *(f"  warning: {code}" for code in reading.warnings)]


def _answer_lines() -> int:
    for number, line in enumerate(sys.stdin, 1):
        if line.strip():
            answer = _answer(_parsed(line, number))
            typer.echo(json.dumps(answer, ensure_ascii=False))
    return 0


def _parsed(line: str, number: int) -> Mapping[str, Any]:
    try:
        asked = json.loads(line)
    except ValueError as error:
        raise SettingsError("settings", f"line {number} is no JSON: {error}") from error
    if not isinstance(asked, dict):
        raise SettingsError("settings", f"line {number} is no object")
    return asked


def _answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give {"id", "spoken"} or {"id", "error"}."""
    try:
        reading = _read(_text_of(asked), _options(asked.get("lang", "auto")))
    except Refusal as refusal:
        return {"id": asked.get("id"), "error": refusal.code}
    return {"id": asked.get("id"), "spoken": reading.spoken}


def _text_of(asked: Mapping[str, Any]) -> str:
    if "text_repeat" in asked:
        piece, times = asked["text_repeat"]
        return str(piece) * int(times)
    return str(asked.get("text", ""))


def _options(lang: str, markup: str = "none") -> "ReadingOptions":
    from cosyedge.text import ReadingOptions

    if markup not in ("none", "ssml"):
        raise SettingsError("settings", f"no markup {markup!r}: none or ssml", field="--markup")
    return ReadingOptions(lang=lang, markup="ssml" if markup == "ssml" else "none")


def _read(text: str, options: "ReadingOptions") -> "Reading":
    from cosyedge.text import read

    return read(text, options)
