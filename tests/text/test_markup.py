"""Pauses are kept and capped; SSML is read when it is asked for and is text otherwise."""

import pytest

from cosyedge.core.errors import Refusal
from cosyedge.text import ReadingOptions, read

SSML = ReadingOptions(lang="en", markup="ssml")


def _said(text: str, options: ReadingOptions) -> list[tuple[str, float]]:
    return [(u.spoken, u.pause_before_s) for u in read(text, options).utterances]


@pytest.mark.parametrize(
    ("text", "pause_s"),
    [
        ("Now [pause:0.5] then", 0.5),
        ("Now [pause:750ms] then", 0.75),
        ("Now[PAUSE:2s]then", 2.0),
        ("Now [pause:99] then", 5.0),
        ("Now [pause:3][pause:4] then", 5.0),
        ("Now _silence_ then", 0.5),
        ("Now _silence_1.5_ then", 1.5),
    ],
)
def test_a_pause_stands_before_the_next_sentence(text: str, pause_s: float) -> None:
    assert _said(text, ReadingOptions(lang="en")) == [("Now.", 0.0), ("then.", pause_s)]


def test_a_pause_alone_says_nothing() -> None:
    with pytest.raises(Refusal) as refusal:
        read("[pause:1]", ReadingOptions())
    assert refusal.value.code == "nothing_speakable"


def test_ssml_breaks_paragraphs_and_sentences() -> None:
    text = "<speak><p>One door</p><s>Two doors</s>wait <break time='250ms'/>three</speak>"
    options = ReadingOptions(lang="en", markup="ssml", min_chars=0)
    assert _said(text, options) == [
        ("One door.", 0.0), ("Two doors.", 0.0), ("wait.", 0.0), ("three.", 0.25),
    ]  # fmt: skip


def test_ssml_breaks_are_capped_and_have_strengths() -> None:
    assert _said("a <break time='60s'/> b", SSML)[1] == ("b.", 5.0)
    assert _said("a <break strength='strong'/> b", SSML)[1] == ("b.", 1.0)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Code <say-as interpret-as='characters'>A12</say-as> ok", "Code A one two ok."),
        ("Dial <say-as interpret-as='digits'>1205</say-as>", "Dial one two zero five."),
        ("The <sub alias='main pump'>MP-1</sub> stopped", "The main pump stopped."),
        ("Fish &amp; chips at 10:05", "Fish and chips at ten oh five."),
    ],
)
def test_ssml_says_what_its_elements_ask_for(text: str, spoken: str) -> None:
    assert read(text, SSML).spoken == spoken


def test_entities_and_document_types_are_never_expanded() -> None:
    bomb = "<!DOCTYPE x [<!ENTITY a 'boom'>]><speak>&a; door</speak>"
    reading = read(bomb, SSML)
    assert "boom" not in reading.spoken
    assert reading.warnings == ("invalid_value",)


def test_broken_ssml_is_read_without_its_tags() -> None:
    reading = read("<speak>Door <b>open</speak>", SSML)
    assert reading.spoken == "Door open."
    assert reading.warnings == ("invalid_value",)


def test_markup_is_text_unless_asked_for() -> None:
    options = ReadingOptions(lang="en")
    assert read("a < b & c", options).spoken == "a less than b and c."
    assert _said("Now <break time='4s'/> then", options) == [
        ("Now break time four seconds then.", 0.0)
    ]
