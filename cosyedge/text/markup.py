"""Pauses, and the small subset of SSML that a payload may ask for."""

import re
from dataclasses import dataclass
from typing import Any, Literal
from xml.parsers import expat

MAX_PAUSE_S = 5.0
#: Of the old form ``_silence_`` without a number.
DEFAULT_PAUSE_S = 0.5
_STRENGTH_S = {
    "none": 0.0,
    "x-weak": 0.1,
    "weak": 0.25,
    "medium": 0.5,
    "strong": 1.0,
    "x-strong": 2.0,
}
_PAUSE = re.compile(
    r"\[pause\s?[:=]\s?(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s?(ms|s)?\]"
    r"|_silence[_:](?:(\d{1,6}(?:\.\d{1,6})?)(ms|s)?_)?|\[pause\]",
    re.IGNORECASE,
)
_TIME = re.compile(r"\s*\+?(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*(ms|s)\s*")
_TAG = re.compile(r"<![^<>\[]{0,200}(?:\[[^\]]{0,2000}\]\s?)?>|<[^<>]{0,500}>")

Style = Literal["text", "characters", "digits"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of the text between pauses or styles."""

    text: str
    pause_before_s: float = 0.0
    style: Style = "text"
    starts_sentence: bool = False


def chunks(text: str, ssml: bool) -> tuple[list[Chunk], bool]:
    """Cut at pauses; the flag says that SSML was asked for and could not be parsed.

    Without SSML, markup is text. SSML that does not parse is read without its tags.
    """
    if not ssml:
        return _paused(text), False
    reader = _SsmlReader()
    try:
        reader.parse(text)
    except expat.ExpatError:
        return _paused(_TAG.sub(" ", text)), True
    return reader.chunks, False


def _paused(text: str) -> list[Chunk]:
    found: list[Chunk] = []
    begin, pause_s = 0, 0.0
    for match in _PAUSE.finditer(text):
        if text[begin : match.start()].strip():
            found.append(Chunk(text[begin : match.start()], pause_s, "text", pause_s > 0))
            pause_s = 0.0
        pause_s = min(MAX_PAUSE_S, pause_s + _seconds(match))
        begin = match.end()
    if text[begin:].strip() or not found:
        found.append(Chunk(text[begin:], pause_s, "text", pause_s > 0))
    return found


def _seconds(match: re.Match[str]) -> float:
    number = match[1] or match[3]
    if number is None:
        return DEFAULT_PAUSE_S
    scale = 0.001 if (match[2] or match[4] or "").lower() == "ms" else 1.0
    return float(number) * scale


class _SsmlReader:
    """Collect chunks from expat's events; entities and document types are an error."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self._pause_s = 0.0
        self._fresh = True
        self._styles: list[Style] = ["text"]
        self._alias_depth = 0

    def parse(self, text: str) -> None:
        """Read a document or a fragment. Raises ExpatError for what is no XML."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._say
        parser.StartDoctypeDeclHandler = _refuse
        parser.EntityDeclHandler = _refuse
        parser.buffer_text = True
        body = text.strip()
        if not re.match(r"<(?:\?xml|speak\b)", body):
            body = f"<speak>{body}</speak>"
        parser.Parse(body, True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        style: Style = self._styles[-1]
        if name in ("p", "s"):
            self._fresh = True
        elif name == "break":
            self._pause_s = min(MAX_PAUSE_S, self._pause_s + _break_s(attributes))
        elif name == "say-as":
            asked = attributes.get("interpret-as", "")
            if asked in ("characters", "spell-out", "verbatim"):
                style = "characters"
            elif asked in ("digits", "telephone"):
                style = "digits"
        elif name == "sub" and attributes.get("alias"):
            self._add(attributes["alias"], style)
            self._alias_depth = self._alias_depth or len(self._styles) + 1
        self._styles.append(style)

    def _end(self, name: str) -> None:
        if self._alias_depth == len(self._styles):
            self._alias_depth = 0
        self._styles.pop()
        if name in ("p", "s"):
            self._fresh = True

    def _say(self, text: str) -> None:
        if not self._alias_depth:
            self._add(text, self._styles[-1])

    def _add(self, text: str, style: Style) -> None:
        if not text.strip() and self._fresh:
            return
        fresh = self._fresh or self._pause_s > 0
        last = self.chunks[-1] if self.chunks else None
        if last and last.style == style and not fresh:
            self.chunks[-1] = Chunk(
                last.text + text, last.pause_before_s, style, last.starts_sentence
            )
        else:
            self.chunks.append(Chunk(text, self._pause_s, style, fresh))
        self._pause_s, self._fresh = 0.0, False


def _refuse(*_: Any) -> None:
    raise expat.ExpatError("document types and entities are not read")


def _break_s(attributes: dict[str, str]) -> float:
    match = _TIME.fullmatch(attributes.get("time", ""))
    if match:
        return float(match[1]) * (0.001 if match[2] == "ms" else 1.0)
    return _STRENGTH_S.get(attributes.get("strength", "medium"), DEFAULT_PAUSE_S)
