"""A line: items in the order of their keys, which any of them may leave at any time."""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key")

# Entries of those who left stay in the heap until they come up, or until this many have gathered.
_SLACK = 32


class Line(Generic[Item, Key]):
    """Keep items sorted by key, lowest first; adding, leaving and taking cost O(log n).

    Items are told apart by hash; keys must be comparable with each other.
    """

    __slots__ = ("_added", "_entries", "_heap")

    def __init__(self) -> None:
        self._heap: list[list[Any]] = []
        self._entries: dict[Item, list[Any]] = {}
        self._added = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, item: Item) -> bool:
        return item in self._entries

    def __iter__(self) -> Iterator[Item]:
        for _, _, item in sorted(self._entries.values()):
            yield item

    def add(self, item: Item, key: Key) -> None:
        """Let ``item`` stand in at ``key``; one that stands in already moves there."""
        standing = self._entries.get(item)
        if standing is not None:
            if standing[0] == key:
                return
            self.discard(item)
        self._added += 1
        entry = [key, self._added, item]
        self._entries[item] = entry
        heappush(self._heap, entry)

    def discard(self, item: Item) -> None:
        """Let ``item`` leave, if it is here."""
        entry = self._entries.pop(item, None)
        if entry is None:
            return
        entry[2] = None
        if len(self._heap) > 2 * len(self._entries) + _SLACK:
            self._heap = list(self._entries.values())
            heapify(self._heap)

    def first(self) -> Item | None:
        """The item with the lowest key; it stays."""
        while self._heap and self._heap[0][2] is None:
            heappop(self._heap)
        return self._heap[0][2] if self._heap else None

    def first_key(self) -> Key | None:
        """The lowest key."""
        return self._heap[0][0] if self.first() is not None else None
