"""A line is in order whatever joins and leaves."""

import hypothesis.strategies as st
from hypothesis import given

from cosyedge.core.line import Line

moves = st.lists(st.tuples(st.integers(0, 8), st.none() | st.integers(0, 3)), max_size=80)


@given(moves)
def test_line_agrees_with_a_sorted_list(moves: list[tuple[int, int | None]]) -> None:
    line: Line[int, int] = Line()
    plain: list[tuple[int, int, int]] = []
    for number, (item, key) in enumerate(moves):
        standing = next((entry for entry in plain if entry[2] == item), None)
        if key is None or (standing is not None and standing[0] != key):
            plain = [entry for entry in plain if entry[2] != item]
            standing = None
        if key is None:
            line.discard(item)
        else:
            line.add(item, key)
            plain += [] if standing else [(key, number, item)]
        plain.sort()
        assert list(line) == [entry[2] for entry in plain]
        assert line.first() == (plain[0][2] if plain else None)
        assert line.first_key() == (plain[0][0] if plain else None)
        assert len(line) == len(plain)
        assert (item in line) == (key is not None)


def test_line_does_not_grow_with_those_who_left() -> None:
    line: Line[int, int] = Line()
    for item in range(10_000):
        line.add(item, item)
        line.discard(item - 5)
    assert len(line) == 5
    assert len(line._heap) <= 2 * 5 + 33
