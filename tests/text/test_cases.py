"""Every kind of figure, sign and name is said as a person would, in six languages."""

import pytest

from cosyedge.core.errors import Refusal
from cosyedge.text import ReadingOptions, read
from tests.text.cases import Case, comparable, load

CASES = load()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_text_is_said_as_a_person_would(case: Case) -> None:
    options = ReadingOptions(lang=case.lang)
    if case.error:
        with pytest.raises(Refusal) as refusal:
            read(case.text, options)
        assert refusal.value.code == case.error
        return
    said = comparable(read(case.text, options).spoken)
    assert said in [comparable(form) for form in case.spoken]


@pytest.mark.parametrize("lang", ["en", "zh", "yue", "ja", "ko", "de"])
def test_every_language_has_cases_of_its_own(lang: str) -> None:
    own = [case for case in CASES if case.lang == lang and "-own-" in case.id]
    assert len(own) >= 15
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", [c for c in CASES if not c.error], ids=lambda case: case.id)
def test_no_figure_and_no_sign_reaches_the_engine(case: Case) -> None:
    spoken = read(case.text, ReadingOptions(lang=case.lang)).spoken
    assert not any(char.isdecimal() or char in "<>|*#@$€£¥%°" for char in spoken)
