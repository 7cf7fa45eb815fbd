"""A template's missing value is said, replaced or refused, and never passes unnoticed."""

import pytest

from cosyedge.core.errors import Refusal
from cosyedge.text import Reading, ReadingOptions, read

MISSING = [
    ("en", "Temperature is unavailable °C.", "Temperature is not available."),
    ("en", "Sensor: unknown", "Sensor: not available."),
    ("en", "Battery None%", "Battery not available."),
    ("zh", "温度 unavailable °C，请检查", "温度 不可用，请检查。"),
    ("ja", "温度はunavailableです", "温度は取得できませんです。"),
    ("ko", "온도 unknown °C", "온도 확인할 수 없음."),
    ("de", "Temperatur: NaN °C", "Temperatur: nicht verfügbar."),
]


def _read(lang: str, text: str, unavailable: str) -> Reading:
    return read(text, ReadingOptions(lang=lang, unavailable=unavailable))


@pytest.mark.parametrize(("lang", "text", "replaced"), MISSING)
def test_a_missing_value_warns_and_is_replaced_or_refused(
    lang: str, text: str, replaced: str
) -> None:
    spoken = _read(lang, text, "speak")
    assert spoken.warnings == ("unavailable_value",)
    assert "°" not in spoken.spoken
    reading = _read(lang, text, "replace")
    assert reading.spoken == replaced
    assert reading.warnings == ("unavailable_value",)
    with pytest.raises(Refusal) as refusal:
        _read(lang, text, "refuse")
    assert refusal.value.code == "unavailable_value"


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "None of the doors is open."),
        ("en", "An unknown person is at the gate."),
        ("de", "Es sind null Grad."),
        ("en", "Nothing to report."),
    ],
)
def test_an_ordinary_word_does_not_warn(lang: str, text: str) -> None:
    assert _read(lang, text, "refuse").warnings == ()
