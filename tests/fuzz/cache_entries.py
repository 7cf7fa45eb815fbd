"""Entries of the phrase cache: each is found to be damaged, or is what was written."""

import hashlib
import random
from pathlib import Path

import numpy as np

from cosyedge.adapters.cache_entry import StoredPhrase, pack, stored, unpack
from cosyedge.adapters.cache_folder import PhraseFolder
from cosyedge.core.errors import StorageFailure
from tests.cache.phrases import entry, key
from tests.fuzz.feeding import Feed, mutated

DIGEST_END = 40
MAX_FRAMES = 600 * 48_000


def make_feed(folder: Path) -> Feed:
    """Feed entries through the real folder; ``folder`` is of the caller's own."""
    phrase = stored(entry(1))
    whole = pack(key(1), phrase)
    path = folder / f"{key(1)}.phrase"
    opened = PhraseFolder(folder, reserve_bytes=0)
    opened.open()

    def feed(dice: random.Random) -> str:
        forged = dice.random() < 0.3
        data = _forged(whole, dice) if forged else _damaged(whole, dice)
        path.write_bytes(data)
        try:
            read = opened.read(key(1))
            assert read is not None
            found = unpack(key(1), read)
        except StorageFailure as failure:
            if failure.code != "corrupt":
                raise
            return "forged, refused" if forged else "found"
        if forged:
            # A checksum keeps no malice off: what decodes all the same is bounded.
            assert len(found.pcm) <= MAX_FRAMES
            return "forged, decoded"
        assert data == whole
        assert _same(found, phrase)
        return "unchanged"

    return feed


def _damaged(whole: bytes, dice: random.Random) -> bytes:
    return dice.randbytes(dice.randrange(3000)) if dice.random() < 0.1 else mutated(whole, dice)


def _forged(whole: bytes, dice: random.Random) -> bytes:
    """An entry whose digest fits what was done to it."""
    body = whole[DIGEST_END : DIGEST_END + 32] + mutated(whole[DIGEST_END + 32 :], dice)
    return whole[:8] + hashlib.sha256(body).digest() + body


def _same(found: StoredPhrase, phrase: StoredPhrase) -> bool:
    return np.array_equal(found.pcm, phrase.pcm) and found.rate_hz == phrase.rate_hz
