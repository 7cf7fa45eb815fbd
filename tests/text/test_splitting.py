"""Sentences are cut where a reader breathes, and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text import ReadingOptions, read
from cosyedge.text.splitting import sentences, split

LANGS = ["en", "zh", "yue", "ja", "ko", "de", "fr"]
PROSE = st.text(alphabet='aB1 .,!?;:。！？、，；…\n"”」)é\u0301点がㅎDr', max_size=200)


@given(st.one_of(PROSE, st.text(max_size=200)), st.sampled_from(LANGS), st.integers(1, 60))
def test_the_pieces_joined_give_the_text_back(text: str, lang: str, bound: int) -> None:
    pieces = split(text, lang, bound)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= bound for piece in pieces)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "Door open. Close it! Now? Yes.", 4),
        ("en", "It is 3.5 bar at ha.local now.", 1),
        ("en", "Dr. Smith, e.g. at approx. 5 p.m., is in. Go.", 2),
        ("en", "Wait 5 min. Then go. It takes 5 min. at least.", 3),
        ("en", "Go to gate B. Please hurry. Ask Mr. J. Smith.", 3),
        ("en", "He said “Stop.” Then he left.", 2),
        ("en", "First line\nsecond line", 2),
        ("en", "1. Open the door", 1),
        ("zh", "门开了。请关门！好吗？好；行……完", 6),
        ("zh", "他说：“停。”然后走了。", 2),
        ("yue", "門開咗。請關門！", 2),
        ("ja", "開きました。「はい。」閉めて！", 3),
        ("ko", "문이 열렸습니다. 닫아 주세요! 네?", 3),
        ("de", "Wartung am 3. Dezember um 8 Uhr. Bitte warten.", 2),
        ("de", "Bitte Raum 12. Danke. Im 3. Stock, z. B. bei Dr. Müller.", 3),
        ("de", "Es kostet 1,2 Mio. Euro, usw. und so fort. Ende.", 2),
    ],
)
def test_sentences_end_at_their_marks(lang: str, text: str, expected: int) -> None:
    pieces = sentences(text, lang)
    assert "".join(pieces) == text
    assert len(pieces) == expected, pieces


def test_a_long_sentence_is_cut_at_commas_then_blanks_then_anywhere() -> None:
    assert split("one two, three four five", "en", 12) == ["one two, ", "three four ", "five"]
    assert split("红灯亮了、绿灯灭了，请检查", "zh", 7) == ["红灯亮了、", "绿灯灭了，", "请检查"]
    assert split("x" * 25, "en", 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert split("up to 1,234 people", "en", 9) == ["up to ", "1,234 ", "people"]


def test_nine_hundred_characters_without_a_stop_lose_nothing() -> None:
    text = "alarm in hall three " * 45
    reading = read(text, ReadingOptions(lang="en", max_chars={"en": 120}))
    assert all(len(utterance.spoken) <= 120 for utterance in reading.utterances)
    assert reading.spoken.replace(".", "").split() == text.split()
    assert "".join(utterance.text for utterance in reading.utterances) == text


def test_a_spoken_sentence_never_exceeds_its_bound() -> None:
    text = "Values 123456, 234567, 345678 and 456789 at 10:05:30 on 2026-12-02."
    reading = read(text, ReadingOptions(lang="en", max_chars={"*": 60}))
    assert max(len(utterance.spoken) for utterance in reading.utterances) <= 60


def test_very_short_sentences_join_their_neighbour() -> None:
    spoken = [u.spoken for u in read("Hi. Go. The door is open.", ReadingOptions()).utterances]
    assert spoken == ["Hi. Go. The door is open."]
    apart = read("Hi. Go. The door is open.", ReadingOptions(min_chars=0)).utterances
    assert len(apart) == 3


@pytest.mark.parametrize(
    ("lang", "text", "spoken"),
    [
        ("en", "Door open", "Door open."),
        ("zh", "门开了", "门开了。"),
        ("ja", "開いた！", "開いた！"),
        ("ko", "열림:", "열림."),
        ("de", "Tür offen,", "Tür offen."),
        ("fr", "Porte ouverte", "Porte ouverte."),
    ],
)
def test_a_missing_final_mark_is_supplied(lang: str, text: str, spoken: str) -> None:
    assert read(text, ReadingOptions(lang=lang)).spoken == spoken
