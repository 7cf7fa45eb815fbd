"""A text is read in its own language, and a mixed one segment by segment."""

import pytest

from cosyedge.core.errors import Refusal
from cosyedge.text import ReadingOptions, read


def _said(text: str, **settings: object) -> list[tuple[str, str]]:
    return [(u.lang, u.spoken) for u in read(text, ReadingOptions(**settings)).utterances]


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The door is open.", "en"),
        ("门开了，请检查。", "zh"),
        ("ドアが開きました。", "ja"),
        ("문이 열렸습니다.", "ko"),
        ("10:05", "en"),
        ("打开 WiFi", "zh"),
    ],
)
def test_auto_tells_the_language_by_script(text: str, lang: str) -> None:
    assert [utterance.lang for utterance in read(text, ReadingOptions()).utterances] == [lang]


def test_defaults_decide_latin_and_han_text() -> None:
    assert _said("Es ist 8:30 Uhr.", latin_default="de") == [("de", "Es ist acht Uhr dreißig.")]
    assert _said("而家10:05。", han_default="yue") == [("yue", "而家十點零五分。")]


def test_han_beside_kana_is_japanese() -> None:
    assert _said("ポンプが止まりました。至急点検。") == [
        ("ja", "ポンプが止まりました。"), ("ja", "至急点検。"),
    ]  # fmt: skip


def test_a_mixed_text_is_read_language_by_language() -> None:
    assert _said("水箱 A-205 温度过高。Please check the valve at 10:05. 谢谢各位！") == [
        ("zh", "水箱A二零五温度过高。"),
        ("en", "Please check the valve at ten oh five."),
        ("zh", "谢谢各位！"),
    ]


def test_with_one_language_each_segment_keeps_its_own_words() -> None:
    spoken = read("请注意 Front door opened at 10:05，请关门。", ReadingOptions(lang="zh")).spoken
    assert spoken == "请注意Front door opened at ten oh five，请关门。"
    assert read("Please go to 3号门 now", ReadingOptions(lang="en")).spoken == (
        "Please go to 三号门 now."
    )


def test_an_id_inside_chinese_is_letters_and_digits() -> None:
    assert read("Line 3 停了", ReadingOptions(lang="zh")).spoken == "Line三停了。"


def test_figures_that_nobody_reads_are_told() -> None:
    unread = read("22,5 °C", ReadingOptions(lang="fr"))
    assert unread.warnings == ("figures_unread",)
    assert read("Bonjour", ReadingOptions(lang="fr")).warnings == ()
    assert read("22,5 °C", ReadingOptions(lang="fr", reads_numbers=True)).warnings == ()


def test_any_other_language_passes_with_its_figures() -> None:
    reading = read("**Température** 22,5 °C &amp; 🎉 humidité", ReadingOptions(lang="fr-CA"))
    assert reading.utterances[0].lang == "fr"
    assert "22,5" in reading.spoken
    assert "*" not in reading.spoken
    assert "🎉" not in reading.spoken


@pytest.mark.parametrize(
    ("written", "lang"), [("zh-CN", "zh"), ("zh-HK", "yue"), ("zh-Hant-HK", "yue"), ("EN-gb", "en")]
)
def test_regions_fold_into_their_language(written: str, lang: str) -> None:
    assert read("OK 5", ReadingOptions(lang=written)).utterances[0].lang == lang


@pytest.mark.parametrize("written", ["english", "e", "12", "", "en us", "x" * 99])
def test_what_is_no_language_code_is_refused(written: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read("Hello", ReadingOptions(lang=written))
    assert refusal.value.code == "unsupported_language"
    assert refusal.value.field == "lang"


def test_a_language_that_the_voice_cannot_speak_is_refused() -> None:
    for lang in ("zh", "auto"):
        with pytest.raises(Refusal) as refusal:
            read("门开了。", ReadingOptions(lang=lang, languages=("en-US", "de")))
        assert refusal.value.code == "unsupported_language"


def test_a_mixed_sentence_goes_to_a_language_that_the_voice_speaks() -> None:
    said = _said("北京站到了，Next stop is Beijing station", languages=("zh",))
    assert [lang for lang, _ in said] == ["zh"]


@pytest.mark.parametrize("text", ["Привет, мир.", "Γειά σου κόσμε.", "مرحبا بالعالم", "שלום עולם"])
def test_a_script_that_the_voice_does_not_speak_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        read(text, ReadingOptions(languages=("en",)))
    assert caught.value.code == "unsupported_language"
    assert read(text, ReadingOptions()).utterances


def test_a_greek_letter_is_no_greek() -> None:
    assert read("5 Ω", ReadingOptions(languages=("en",))).utterances[0].lang == "en"
