"""One entry's bytes: any change is found before use."""

import hashlib
import random

import pytest

from cosyedge.adapters.cache_entry import pack, stored, unpack
from cosyedge.core.errors import StorageFailure
from tests.cache.phrases import entry, key, same

DATA = pack(key(1), stored(entry(1)))


def refused(data: bytes, name: str = key(1)) -> bool:
    """Whether an entry is found to be damaged; anything but that is a failure of the test."""
    try:
        unpack(name, data)
    except StorageFailure as failure:
        return failure.code == "corrupt"
    return False


def test_entry_comes_back_with_what_was_measured() -> None:
    assert same(unpack(key(1), DATA).to_cached(), entry(1))


def test_entry_under_another_name_is_refused() -> None:
    assert refused(DATA, key(2))


def test_every_flipped_bit_of_the_header_and_the_ends_is_found() -> None:
    places = [*range(120), *range(len(DATA) - 120, len(DATA))]
    for place in places:
        for bit in range(8):
            damaged = bytearray(DATA)
            damaged[place] ^= 1 << bit
            assert refused(bytes(damaged)), (place, bit)


@pytest.mark.parametrize("length", [0, 1, 8, 40, 88, 89, len(DATA) // 2, len(DATA) - 1])
def test_truncated_entry_is_found(length: int) -> None:
    assert refused(DATA[:length])


@pytest.mark.parametrize("data", [DATA + b"\0", DATA * 2, b"<html>" * 100, bytes(5000)])
def test_entry_with_more_or_with_something_else_is_found(data: bytes) -> None:
    assert refused(data)


def test_twenty_thousand_damaged_entries_are_all_found() -> None:
    dice = random.Random(20_000)
    for _ in range(20_000):
        assert refused(damaged(dice))


def test_two_thousand_forged_entries_do_no_harm() -> None:
    """A checksum keeps no malice off: what decodes all the same is bounded and is sound."""
    dice = random.Random(2_000)
    for _ in range(2_000):
        body = bytearray(DATA[40:])
        for _ in range(dice.randint(1, 20)):
            body[dice.randrange(32, len(body))] = dice.randrange(256)
        forged = DATA[:8] + hashlib.sha256(body).digest() + bytes(body)
        if not refused(forged):
            phrase = unpack(key(1), forged)
            assert len(phrase.pcm) == int.from_bytes(body[36:40], "little") <= 10_000


def damaged(dice: random.Random) -> bytes:
    """An entry with one of the ways in which disks lie."""
    data = bytearray(DATA)
    kind = dice.randrange(5)
    if kind == 0:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    elif kind == 1:
        del data[dice.randrange(len(data)) :]
    elif kind == 2:
        start = dice.randrange(len(data) - 512)
        if bytes(data[start : start + 512]) == bytes(512):
            data[start] = 1
        data[start : start + 512] = bytes(512)
    elif kind == 3:
        data = bytearray(dice.randbytes(dice.randrange(3000)))
    else:
        at = dice.randrange(len(data))
        data[at:at] = dice.randbytes(dice.randint(1, 64))
    return bytes(data)
