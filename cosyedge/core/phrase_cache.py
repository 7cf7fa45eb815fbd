"""The phrase cache's two rules: what names a phrase, and which phrase has to go."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cosyedge.core.speech import SpeechRequest

# Raised when the meaning of a field below changes, so that no older entry is ever met.
_KEY_FORMAT: Final = 1


def phrase_key(
    request: SpeechRequest, voice_digest: str, reader_version: str, lexicon_digest: str
) -> str:
    """Name a phrase by all that can change its sound: 64 hex digits.

    The voice goes in by content (``voice_digest``), not by name. ``reader_version`` names the
    text reader and the engine. JSON keeps the fields apart, so that no two of them collide by
    running into each other.
    """
    fields = [
        _KEY_FORMAT,
        request.spoken,
        request.lang,
        voice_digest,
        request.speaker,
        float(request.speed),
        request.phonemes,
        sorted(request.quality.items()),
        reader_version,
        lexicon_digest,
    ]
    return hashlib.sha256(json.dumps(fields, allow_nan=False).encode("ascii")).hexdigest()


@dataclass(slots=True)
class _Place:
    size_bytes: int
    pinned: bool


class Shelf:
    """Least recently used goes first, bounded by bytes; pinned ones stay.

    Holds names and sizes only, so that the memory and the disk tier share one policy. Pins
    count towards the bound: what does not fit beside them is not pinned.
    """

    def __init__(self, limit_bytes: int) -> None:
        """Begin empty; ``limit_bytes`` bounds the sum of all sizes."""
        self.limit_bytes = limit_bytes
        self.total_bytes = 0
        self.pinned_bytes = 0
        self._places: OrderedDict[str, _Place] = OrderedDict()

    def __len__(self) -> int:
        """Count the entries."""
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        """Tell whether ``key`` stands here."""
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        """Go through the keys, least recently used first."""
        return iter(self._places)

    def is_pinned(self, key: str) -> bool:
        """Tell whether ``key`` stands here and is pinned."""
        place = self._places.get(key)
        return place is not None and place.pinned

    def has_room_to_pin(self, size_bytes: int) -> bool:
        """Tell whether the pinned ones leave this much of the bound."""
        return self.pinned_bytes + size_bytes <= self.limit_bytes

    def add(self, key: str, size_bytes: int, *, pinned: bool = False) -> list[str]:
        """Put ``key`` in as the newest; return the keys that had to go for it.

        An entry that cannot fit is itself among them. A key that stands here already keeps
        its pin.
        """
        pinned = pinned or self.is_pinned(key)
        self.remove(key)
        pinned = pinned and self.has_room_to_pin(size_bytes)
        if self.pinned_bytes + size_bytes > self.limit_bytes:
            return [key]
        self._places[key] = _Place(size_bytes, pinned)
        self.total_bytes += size_bytes
        self.pinned_bytes += size_bytes * pinned
        return self._make_room()

    def touch(self, key: str) -> None:
        """Mark ``key``, which stands here, as the most recently used."""
        self._places.move_to_end(key)

    def pin(self, key: str, *, pinned: bool) -> bool:
        """Pin or unpin; False where there is no such entry or no room among the pinned."""
        place = self._places.get(key)
        if place is None:
            return False
        if place.pinned == pinned:
            return True
        if pinned and not self.has_room_to_pin(place.size_bytes):
            return False
        place.pinned = pinned
        self.pinned_bytes += place.size_bytes if pinned else -place.size_bytes
        return True

    def remove(self, key: str) -> int:
        """Forget ``key``; return its bytes, 0 where it was not here."""
        place = self._places.pop(key, None)
        if place is None:
            return 0
        self.total_bytes -= place.size_bytes
        self.pinned_bytes -= place.size_bytes * place.pinned
        return place.size_bytes

    def _make_room(self) -> list[str]:
        if self.total_bytes <= self.limit_bytes:
            return []
        gone = []
        excess = self.total_bytes - self.limit_bytes
        for key, place in self._places.items():
            if excess <= 0:
                break
            if not place.pinned:
                gone.append(key)
                excess -= place.size_bytes
        for key in gone:
            self.remove(key)
        return gone
