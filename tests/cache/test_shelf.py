"""Least recently used goes first, by bytes; pinned ones stay."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cosyedge.core.phrase_cache import Shelf


def test_oldest_goes_first_and_use_makes_young() -> None:
    shelf = Shelf(30)
    for name in "abc":
        assert shelf.add(name, 10) == []
    shelf.touch("a")
    assert shelf.add("d", 10) == ["b"]
    assert list(shelf) == ["c", "a", "d"]


def test_as_many_go_as_the_newcomer_needs() -> None:
    shelf = Shelf(30)
    for name in "abc":
        shelf.add(name, 10)
    assert shelf.add("d", 15) == ["a", "b"]
    assert shelf.total_bytes == 25


def test_pinned_ones_never_go() -> None:
    shelf = Shelf(30)
    shelf.add("a", 10, pinned=True)
    for name in "bcdef":
        shelf.add(name, 10)
    assert "a" in shelf
    assert shelf.is_pinned("a")
    assert shelf.pinned_bytes == 10


def test_what_cannot_fit_goes_itself() -> None:
    shelf = Shelf(30)
    shelf.add("a", 20, pinned=True)
    assert shelf.add("b", 11) == ["b"]
    assert shelf.add("c", 31, pinned=True) == ["c"]
    assert list(shelf) == ["a"]


def test_pins_beyond_the_bound_are_refused() -> None:
    shelf = Shelf(30)
    shelf.add("a", 20, pinned=True)
    shelf.add("b", 10)
    assert shelf.pin("b", pinned=True)
    assert not shelf.pin("nobody", pinned=True)
    assert not shelf.has_room_to_pin(1)
    assert shelf.pin("a", pinned=False)
    assert shelf.pinned_bytes == 10


def test_new_version_of_a_pinned_entry_keeps_its_pin() -> None:
    shelf = Shelf(30)
    shelf.add("a", 10, pinned=True)
    shelf.add("a", 12)
    assert shelf.is_pinned("a")
    assert (shelf.total_bytes, shelf.pinned_bytes) == (12, 12)


class ShelfAgainstModel(RuleBasedStateMachine):
    """The shelf beside a plain list of (key, size, pinned)."""

    LIMIT = 50
    KEYS = st.sampled_from("abcdefgh")

    def __init__(self) -> None:
        super().__init__()
        self.shelf = Shelf(self.LIMIT)
        self.model: list[tuple[str, int, bool]] = []

    @rule(key=KEYS, size=st.integers(0, 60), pinned=st.booleans())
    def add(self, key: str, size: int, pinned: bool) -> None:
        was_pinned = any(k == key and p for k, _, p in self.model)
        rest = [place for place in self.model if place[0] != key]
        pinned_bytes = sum(s for _, s, p in rest if p)
        gone = self.shelf.add(key, size, pinned=pinned)
        if pinned_bytes + size > self.LIMIT:
            self.model = rest
            assert gone == [key]
            return
        rest.append((key, size, pinned or was_pinned))
        expected = []
        while sum(s for _, s, _ in rest) > self.LIMIT:
            victim = next(place for place in rest if not place[2])
            rest.remove(victim)
            expected.append(victim[0])
        assert gone == expected
        self.model = rest

    @rule(key=KEYS)
    def touch(self, key: str) -> None:
        if key in self.shelf:
            self.shelf.touch(key)
            place = next(p for p in self.model if p[0] == key)
            self.model.remove(place)
            self.model.append(place)

    @rule(key=KEYS, pinned=st.booleans())
    def pin(self, key: str, pinned: bool) -> None:
        done = self.shelf.pin(key, pinned=pinned)
        assert done == any(k == key for k, _, _ in self.model)
        self.model = [(k, s, pinned if k == key else p) for k, s, p in self.model]

    @rule(key=KEYS)
    def remove(self, key: str) -> None:
        assert self.shelf.remove(key) == sum(s for k, s, _ in self.model if k == key)
        self.model = [place for place in self.model if place[0] != key]

    @invariant()
    def agrees(self) -> None:
        assert list(self.shelf) == [key for key, _, _ in self.model]
        assert self.shelf.total_bytes == sum(s for _, s, _ in self.model) <= self.LIMIT
        assert self.shelf.pinned_bytes == sum(s for _, s, p in self.model if p)
        assert len(self.shelf) == len(self.model)


TestShelfAgainstModel = ShelfAgainstModel.TestCase
TestShelfAgainstModel.settings = settings(max_examples=60, deadline=None)
