"""The rules of precedence never contradict each other."""

import hypothesis.strategies as st
from hypothesis import given

from cosyedge.core.announcement import Announcement, Interrupt, class_of
from cosyedge.core.precedence import may_cut, place
from tests.core.announcing import make

anybody = st.builds(
    lambda priority, interrupt: make("x", priority=priority, interrupt=interrupt),
    st.integers(0, 255),
    st.sampled_from(Interrupt),
)


@given(anybody, anybody, st.integers(0, 9), st.integers(0, 9), st.booleans())
def test_who_may_cut_also_stands_before(
    newcomer: Announcement, running: Announcement, seq: int, other_seq: int, was_cut: bool
) -> None:
    if may_cut(newcomer, running):
        assert place(newcomer, was_cut, seq) < place(running, True, other_seq)
        assert not may_cut(running, newcomer)


@given(anybody, anybody)
def test_nobody_cuts_a_higher_number(newcomer: Announcement, running: Announcement) -> None:
    if newcomer.priority < running.priority:
        assert not may_cut(newcomer, running)


def test_lower_needs_forty_above() -> None:
    running = make("r", priority=100)
    assert not may_cut(make("n", priority=139), running)
    assert may_cut(make("n", priority=140), running)


def test_each_class_may_cut_every_class_below_it() -> None:
    cuts = {
        (high, low)
        for high in ("emergency", "urgent", "high", "normal", "low", "background")
        for low in ("emergency", "urgent", "high", "normal", "low", "background")
        if may_cut(make("n", high), make("r", low))
    }
    order = ["background", "low", "normal", "high", "urgent", "emergency"]
    assert cuts == {(high, low) for i, high in enumerate(order) for low in order[:i]}


def test_a_number_belongs_to_the_highest_class_it_reaches() -> None:
    expected = {0: "background", 16: "background", 59: "background", 60: "low", 99: "low"}
    expected |= {100: "normal", 159: "normal", 160: "high", 200: "urgent", 239: "urgent"}
    expected |= {240: "emergency", 255: "emergency"}
    assert {number: class_of(number) for number in expected} == expected
