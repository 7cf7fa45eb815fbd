"""A wall clock that nobody set, or that was stepped, is a fault that clears by itself."""

from datetime import UTC, datetime

import pytest

from cosyedge.service.timekeeper import CALM_S, JUMP_S, Timekeeper

RELEASED = datetime(2026, 12, 2, tzinfo=UTC).timestamp()
NOW = RELEASED + 40 * 86_400.0
HOUR_S, YEAR_S = 3600.0, 365 * 86_400.0


class Watch:
    """A wall clock and a steady one that a test sets apart; asked once a second."""

    def __init__(self, wall: float = NOW) -> None:
        self.wall = wall
        self.steady = 500.0
        self.keeper = Timekeeper(lambda: self.wall, lambda: self.steady, not_before=RELEASED)

    def pass_by(self, seconds: int, *, rate: float = 1.0) -> list[str | None]:
        """What was told, each thing once, while so many seconds went by."""
        told: list[str | None] = []
        for _ in range(seconds):
            self.steady += 1.0
            self.wall += rate
            fault = self.keeper.fault()
            if not told or told[-1] != fault:
                told.append(fault)
        return told


def test_a_clock_that_goes_right_or_a_little_wrong_is_none() -> None:
    watch = Watch()
    assert watch.pass_by(1_000) == [None]
    watch.wall += JUMP_S - 5
    assert watch.pass_by(1_000) == [None]
    assert watch.pass_by(10_000, rate=1.05) == [None]


@pytest.mark.parametrize("wall", [0.0, -3.0, RELEASED - 9])
def test_a_clock_from_before_the_package_is_unset_until_it_is_set(wall: float) -> None:
    watch = Watch(wall)
    assert watch.keeper.is_unset
    assert watch.pass_by(1) == ["clock_unset"]
    watch.wall = NOW
    assert not watch.keeper.is_unset
    assert watch.pass_by(5) == [None]


def test_an_unset_clock_stays_a_fault_as_long_as_it_is_unset() -> None:
    assert Watch(0.0).pass_by(int(10 * CALM_S)) == ["clock_unset"]


@pytest.mark.parametrize("step_s", [HOUR_S, -HOUR_S, 10 * YEAR_S, JUMP_S + 5])
def test_a_step_is_a_fault_until_it_is_taken_back(step_s: float) -> None:
    watch = Watch()
    watch.pass_by(10)
    watch.wall += step_s
    assert watch.pass_by(100) == ["clock_jumped"]
    watch.wall -= step_s
    assert watch.pass_by(100) == [None]


def test_a_step_is_believed_after_ten_minutes_of_calm() -> None:
    watch = Watch()
    watch.pass_by(10)
    watch.wall += HOUR_S
    assert watch.pass_by(int(CALM_S)) == ["clock_jumped"]
    assert watch.pass_by(100) == [None]
    watch.wall -= HOUR_S
    assert watch.pass_by(10) == ["clock_jumped"]


def test_a_clock_that_is_stepped_again_and_again_is_never_calm() -> None:
    watch = Watch()
    watch.pass_by(10)
    for _ in range(10):
        watch.wall += HOUR_S
        assert watch.pass_by(int(CALM_S) - 1) == ["clock_jumped"]


def test_ten_years_back_are_before_the_package_and_no_hour_is_known() -> None:
    watch = Watch()
    watch.pass_by(10)
    watch.wall -= 10 * YEAR_S
    assert watch.pass_by(3) == ["clock_unset"]
    assert watch.keeper.is_unset
    watch.wall += 10 * YEAR_S
    assert watch.pass_by(3) == [None]
