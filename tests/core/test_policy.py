"""Mute and quiet hours: who is heard, and how loud."""

import pytest

from cosyedge.core.announcement import CLASSES, Rendering
from cosyedge.core.policy import FREE, QuietHours, ZoneRules, judge, loudness_of, parse_quiet_hours

NIGHT = parse_quiet_hours("22:00-06:30")


@pytest.mark.parametrize(
    ("minute", "covered"),
    [(21 * 60 + 59, False), (22 * 60, True), (0, True), (389, True), (390, False), (720, False)],
)
def test_quiet_hours_go_over_midnight(minute: int, covered: bool) -> None:
    assert NIGHT.covers(minute) is covered


def test_quiet_hours_of_no_length_cover_nothing() -> None:
    assert not any(parse_quiet_hours("08:00-08:00").covers(minute) for minute in range(1440))


@pytest.mark.parametrize("text", ["", "22:00", "24:00-06:00", "22:60-06:00", "2:00-6:00", "22-06"])
def test_quiet_hours_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="HH:MM-HH:MM"):
        parse_quiet_hours(text)


def test_quiet_hours_for_an_unknown_class_are_refused() -> None:
    with pytest.raises(ValueError, match="loud"):
        parse_quiet_hours("22:00-06:00", ["loud"])


def test_quiet_hours_hold_back_their_classes_only() -> None:
    rules = ZoneRules(quiet=(NIGHT,))
    codes = {name: judge(rules, priority, 0).code for name, priority in CLASSES.items()}
    assert codes == {
        "background": "quiet_hours",
        "low": "quiet_hours",
        "normal": "quiet_hours",
        "high": None,
        "urgent": None,
        "emergency": None,
    }
    assert judge(rules, CLASSES["normal"], 720) == FREE


def test_quiet_hours_with_a_volume_let_it_sound_softly() -> None:
    rules = ZoneRules(quiet=(QuietHours(0, 600, volume=0.5), QuietHours(0, 300, volume=0.2)))
    assert judge(rules, CLASSES["normal"], 100).volume == 0.2
    assert judge(rules, CLASSES["normal"], 400).volume == 0.5
    assert judge(rules, CLASSES["normal"], 400).audible
    assert judge(rules, CLASSES["normal"], 700) == FREE


@pytest.mark.parametrize(
    "rules",
    [
        ZoneRules(muted=True),
        ZoneRules(muted_classes=frozenset(CLASSES)),
        ZoneRules(quiet=(QuietHours(0, 1439, frozenset(CLASSES)),)),
    ],
)
def test_emergency_passes_every_rule_and_urgent_does_not(rules: ZoneRules) -> None:
    assert judge(rules, 240, 100) == FREE
    assert judge(rules, 255, 100) == FREE
    assert not judge(rules, 239, 100).audible


def test_mute_by_class_leaves_the_others() -> None:
    rules = ZoneRules(muted_classes=frozenset({"low"}))
    assert judge(rules, 99, 0).code == "muted"
    assert judge(rules, 100, 0) == FREE


def test_volumes_multiply_and_stay_under_the_cap() -> None:
    assert loudness_of(0.5, Rendering(volume=0.5)) == 0.25
    assert loudness_of(0.5, Rendering(gain_db=20 * 0.30103)) == pytest.approx(1.0, abs=1e-4)
    assert loudness_of(0.9, Rendering(gain_db=12.0)) == 1.0
    assert loudness_of(0.9, Rendering(), cap=0.3) == 0.3
    assert loudness_of(0.2, Rendering(), cap=0.3) == 0.2
