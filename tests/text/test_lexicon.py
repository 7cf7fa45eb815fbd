"""The user's own words stand above every rule."""

from cosyedge.text import Lexicon, ReadingOptions, read

LEXICON = Lexicon(
    words={"*": {"HVAC": "H vac"}, "en": {"E-100": "pump one"}, "zh": {"A-205": "大厅"}},
    phonemes={"en": {"Worcester": "wʊstər"}},
)


def _spoken(text: str, lang: str) -> str:
    return read(text, ReadingOptions(lang=lang, lexicon=LEXICON)).spoken


def test_an_entry_is_said_before_any_rule_reads_the_text() -> None:
    assert _spoken("HVAC and E-100 stopped.", "en") == "H vac and pump one stopped."
    assert _spoken("请到A-205集合", "zh") == "请到大厅集合。"


def test_an_entry_matches_whole_words_of_its_language() -> None:
    assert _spoken("E-1001 and HVACs", "en") == "E one zero zero one and HVACs."
    assert _spoken("Raum E-100", "de") == "Raum E einhundert."


def test_a_pronunciation_is_set_beside_the_spoken_text() -> None:
    known, unknown = read(
        "Train to Worcester. The doors are closing.", ReadingOptions(lang="en", lexicon=LEXICON)
    ).utterances
    assert known.spoken == "Train to Worcester."
    assert known.phonemes == "Train to [[wʊstər]]."
    assert unknown.phonemes is None


def test_each_replacement_is_explained() -> None:
    rewrites = read("HVAC on", ReadingOptions(lang="en", lexicon=LEXICON)).rewrites
    assert [(r.before, r.after, r.rule) for r in rewrites] == [("HVAC", "H vac", "lexicon")]


def test_the_digest_follows_the_content() -> None:
    same = Lexicon(
        words={"zh": {"A-205": "大厅"}, "en": {"E-100": "pump one"}, "*": {"HVAC": "H vac"}},
        phonemes={"en": {"Worcester": "wʊstər"}},
    )
    assert same.digest == LEXICON.digest
    assert Lexicon(words={"en": {"E-100": "pump two"}}).digest != LEXICON.digest
    assert Lexicon.EMPTY.digest == Lexicon(words={"en": {}}).digest
