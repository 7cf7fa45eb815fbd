"""One phrase as one file: a header whose checksum covers every other byte, then FLAC.

::

    8 bytes   magic and version
    32 bytes  sha256 of all that follows
    32 bytes  the key, so that a renamed file is found out
    16 bytes  rate (u32), frames (u32), true peak (f32), loudness in LUFS (f32), little-endian
    the rest  FLAC, mono, 16 bits
"""

import hashlib
import struct
from dataclasses import dataclass
from typing import Final

from cosyedge.adapters.encoding import Pcm, decode_pcm, encode_flac, from_pcm, to_pcm
from cosyedge.core.errors import StorageFailure
from cosyedge.core.speech import Speech
from cosyedge.service.ports import CachedSpeech

_MAGIC: Final = b"cosyph1\n"
_FACTS: Final = struct.Struct("<32sIIff")
_DIGEST_END: Final = len(_MAGIC) + 32
_HEAD: Final = _DIGEST_END + _FACTS.size
_MAX_FRAMES: Final = 600 * 48_000


@dataclass(frozen=True, slots=True, eq=False)
class StoredPhrase:
    """A phrase as the memory tier keeps it: int16, half of what float32 needs."""

    pcm: Pcm
    rate_hz: int
    peak: float
    lufs: float

    @property
    def size_bytes(self) -> int:
        """What it costs in memory, its objects included."""
        return self.pcm.nbytes + 512

    def to_cached(self) -> CachedSpeech:
        """Give it as float32 samples (0.02 ms for 2 s)."""
        return CachedSpeech(Speech(from_pcm(self.pcm), self.rate_hz), self.peak, self.lufs)


def stored(entry: CachedSpeech) -> StoredPhrase:
    """Round an entry to 16 bits, as disk and memory keep it."""
    speech = entry.speech
    return StoredPhrase(to_pcm(speech.samples), speech.rate_hz, entry.peak, entry.lufs)


def pack(key: str, phrase: StoredPhrase) -> bytes:
    """Write an entry's bytes; ``key`` is 64 hex digits. Blocks for about 1 ms."""
    facts = (phrase.rate_hz, len(phrase.pcm), phrase.peak, phrase.lufs)
    body = _FACTS.pack(bytes.fromhex(key), *facts) + encode_flac(phrase.pcm, phrase.rate_hz)
    return _MAGIC + hashlib.sha256(body).digest() + body


def unpack(key: str, data: bytes) -> StoredPhrase:
    """Read an entry's bytes; blocks for about 1 ms.

    Raises StorageFailure("corrupt") for anything but what ``pack`` wrote under this key.
    """
    if len(data) <= _HEAD or not data.startswith(_MAGIC):
        raise StorageFailure("corrupt", "not an entry of the phrase cache")
    if hashlib.sha256(memoryview(data)[_DIGEST_END:]).digest() != data[len(_MAGIC) : _DIGEST_END]:
        raise StorageFailure("corrupt", "the checksum does not fit")
    owner, rate_hz, frames, peak, lufs = _FACTS.unpack_from(data, _DIGEST_END)
    if owner.hex() != key or frames > _MAX_FRAMES:
        raise StorageFailure("corrupt", "the entry belongs to another key")
    pcm, actual_hz = decode_pcm(data[_HEAD:], frames)
    if len(pcm) != frames or actual_hz != rate_hz:
        raise StorageFailure("corrupt", "the samples are not those of the header")
    return StoredPhrase(pcm, rate_hz, peak, lufs)
