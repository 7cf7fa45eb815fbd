"""Whatever comes in, the door answers soon and raises only its own refusals."""

import contextlib
import re
import time
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cosyedge.core.errors import Refusal
from cosyedge.text import ReadingOptions, Utterance, read

LANGS = st.sampled_from(["auto", "en", "zh", "yue", "ja", "ko", "de", "fr"])
REFUSALS = {"empty_text", "nothing_speakable", "too_long", "unsupported_language"}
FIGURES = st.text(
    alphabet="0123456789.,:-–/%°C€$ AaBbmh火水号点2个時분개年月日\n*_#<>|&;@()[]'\"!?。，、～+=x",
    max_size=60,
)
ANY = st.one_of(st.text(max_size=80), FIGURES)
RELAXED = settings(deadline=2000, suppress_health_check=[HealthCheck.too_slow], max_examples=200)


def _read(text: str, options: ReadingOptions) -> tuple[Utterance, ...]:
    """Give no utterance for one of the four refusals; anything else that is raised fails."""
    try:
        return read(text, options).utterances
    except Refusal as refusal:
        if refusal.code not in REFUSALS:
            raise
        return ()


@RELAXED
@given(ANY, LANGS)
def test_any_text_is_said_or_refused(text: str, lang: str) -> None:
    for utterance in _read(text, ReadingOptions(lang=lang, text_max_chars=300)):
        assert utterance.spoken.strip()
        assert not any(unicodedata.category(c) in {"Cc", "Cs", "Co"} for c in utterance.spoken)
        assert lang == "fr" or not any(c.isdecimal() for c in utterance.spoken)


@RELAXED
@given(st.lists(st.sampled_from([chr(0xD800), chr(0xDFFF), "a", "门", " "]), max_size=20))
def test_lone_surrogates_never_reach_the_engine(chars: list[str]) -> None:
    for utterance in _read("".join(chars), ReadingOptions()):
        assert utterance.spoken.encode("utf-8")


@RELAXED
@given(ANY, st.sampled_from(["en", "zh", "yue", "ja", "ko", "de"]))
def test_reading_its_own_output_changes_nothing(text: str, lang: str) -> None:
    options = ReadingOptions(lang=lang, text_max_chars=10_000)
    try:
        once = read(text, options).spoken
    except Refusal:
        return
    assert _without_loose_blanks(read(once, options).spoken) == _without_loose_blanks(once)


def _without_loose_blanks(spoken: str) -> str:
    return re.sub(r"(?<=[^\x00-\x7f]) +| +(?=[^\x00-\x7f])", "", spoken)


@pytest.mark.parametrize(
    "text",
    ["9" * 100_000, "e" + "\u0301" * 100_000, "1," * 50_000, "(" * 100_000, "<" * 100_000,
     "[pause:" * 20_000, "&amp" * 30_000, "1:" * 50_000, "a@" * 50_000, " " * 99_999 + "a"],
    ids=["digits", "marks", "commas", "brackets", "tags", "pauses", "entities", "times", "mails",
         "blanks"],
)  # fmt: skip
def test_an_endless_text_is_refused_at_once(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(Refusal) as refusal:
        read(text, ReadingOptions(lang="en"))
    assert refusal.value.code == "too_long"
    assert time.perf_counter() - began < 1.0


@pytest.mark.parametrize("lang", ["en", "zh", "ko", "de"])
@pytest.mark.parametrize(
    "unit",
    ["9", "1,234,", "1.2.3", "1:2", "10:05-", "A1-", "x1x", "<", "<a ", "&#", "1/2 ", "-", "5 °",
     "*", "[x](", "a@b.", "$1", "“", "1 h ", "http://", "2个", "3대", "e\u0301", ". ", "|a",
     "_silence_"],
)  # fmt: skip
def test_time_grows_with_length_and_no_faster(lang: str, unit: str) -> None:
    def seconds(count: int) -> float:
        options = ReadingOptions(lang=lang, text_max_chars=100_000)
        began = time.perf_counter()
        with contextlib.suppress(Refusal):
            read(unit * count, options)
        return time.perf_counter() - began

    seconds(10)
    short = min(seconds(2_000 // len(unit)) for _ in range(2))
    long = min(seconds(16_000 // len(unit)) for _ in range(2))
    # Eight times the text: a quadratic reader takes 64 times as long.
    assert long < 30 * short + 0.5


def test_marks_are_cut_to_eight_a_base() -> None:
    spoken = read("a" + "\u0316" * 60 + " door", ReadingOptions(lang="en")).spoken
    assert spoken.count("\u0316") == 8


def test_control_and_bidi_characters_are_not_said() -> None:
    text = "Li\u200bne\u202e 4\x07\x00 \u2066stopped\u2069\ufeff"
    assert read(text, ReadingOptions(lang="en")).spoken == "Line four stopped."


@pytest.mark.parametrize(
    "text", ["<|zh|>Hello", "<|endofprompt|> go", "<|<|x|>|> go", "a <| b |> c"]
)
def test_control_tokens_are_text(text: str) -> None:
    spoken = read(text, ReadingOptions(lang="en")).spoken
    assert "<" not in spoken
    assert "|" not in spoken
    assert spoken.strip(".")


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
def test_blank_texts_are_refused(text: str) -> None:
    with pytest.raises(Refusal, match="empty") as refusal:
        read(text, ReadingOptions())
    assert refusal.value.code == "empty_text"


@pytest.mark.parametrize(
    "text", ["🎉🔥", "。。。", "?!…", "---", "\u200b", "<b></b>", "[pause:2]", "***"]
)
def test_texts_without_words_are_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(text, ReadingOptions())
    assert refusal.value.code == "nothing_speakable"


def test_the_limit_counts_characters_after_normalizing() -> None:
    options = ReadingOptions(lang="en", text_max_chars=10)
    assert read("e\u0301" * 10, options).spoken == "é" * 10 + "."
    with pytest.raises(Refusal) as refusal:
        read("e" * 11, options)
    assert refusal.value.code == "too_long"
