"""Make clips that fit: the profile's format, else FLAC, else Opus, else several pieces."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import ceil
from typing import Final

from cosyedge.adapters.encoding import FORMATS, rate_for
from cosyedge.core.errors import OutputFailure
from cosyedge.core.speech import Speech

Encode = Callable[[Speech, str, int | None], Awaitable[bytes]]

LADDER: Final = ("flac", "opus")
# Topic, header and properties of one message, generously.
ENVELOPE_BYTES: Final = 768
# 1 KiB of WAV, the smallest chunk that may be asked for, is 10 ms at 48 kHz.
SHORTEST_PIECE_S: Final = 0.008
MOST_PIECES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Profile:
    """What leaves for one kind of listener.

    ``clip_bytes`` bounds a message; ``chunk_bytes`` cuts every part into pieces, which are
    sent at ``speedup`` times real time after the first ``head_start_s`` of sound.
    """

    format: str = "wav"
    rate_hz: int | None = None
    clip_bytes: int | None = None
    chunk_bytes: int | None = None
    qos: int = 1
    head_start_s: float = 0.4
    speedup: float = 1.1


PROFILES: Final[dict[str, Profile]] = {
    "lan": Profile(),
    "esp32": Profile(format="pcm", rate_hz=16_000, chunk_bytes=2048, qos=0),
    "cloud": Profile(format="flac", clip_bytes=120_000),
}


@dataclass(frozen=True, slots=True)
class ClipWish:
    """What is asked for; ``may_transcode`` where nobody insisted on the format.

    ``clip_bytes`` is the most that one payload may hold, ``chunk_bytes`` cuts below that.
    """

    format: str
    rate_hz: int | None
    clip_bytes: int
    chunk_bytes: int | None = None
    may_transcode: bool = True


@dataclass(frozen=True, slots=True)
class Clip:
    """One encoded piece that stands by itself."""

    payload: bytes
    format: str
    rate_hz: int
    duration_s: float

    @property
    def content_type(self) -> str:
        """Its media type."""
        return FORMATS[self.format].content_type


async def make_clips(speech: Speech, wish: ClipWish, encode: Encode) -> list[Clip]:
    """One clip where it fits, several where not.

    Raises OutputFailure: unsupported_format; too_large where not even a piece fits.
    """
    if wish.chunk_bytes is None:
        formats = [wish.format]
        if wish.may_transcode:
            formats += [each for each in LADDER if each != wish.format]
        for format in formats:
            clip = await _clip(speech, format, wish.rate_hz, encode)
            if len(clip.payload) <= wish.clip_bytes:
                return [clip]
    return await _pieces(speech, wish, encode)


async def _clip(speech: Speech, format: str, rate_hz: int | None, encode: Encode) -> Clip:
    payload = await encode(speech, format, rate_hz)
    return Clip(payload, format, rate_for(format, rate_hz or speech.rate_hz), speech.duration_s)


async def _pieces(speech: Speech, wish: ClipWish, encode: Encode) -> list[Clip]:
    """Cut the samples, so that each piece is a file of its own; PCM is cut as bytes."""
    room = min(wish.chunk_bytes or wish.clip_bytes, wish.clip_bytes)
    whole = await _clip(speech, wish.format, wish.rate_hz, encode)
    if wish.format == "pcm":
        return _sliced(whole, room // 2 * 2)
    count = max(1, ceil(len(whole.payload) / room))
    while count <= MOST_PIECES and speech.duration_s / count > SHORTEST_PIECE_S:
        clips = await _cut(speech, count, wish, room, encode)
        if clips:
            return clips
        count = count + max(1, count // 4)
    raise OutputFailure("too_large", f"no clip fits into {room} bytes")


async def _cut(
    speech: Speech, count: int, wish: ClipWish, room: int, encode: Encode
) -> list[Clip] | None:
    """``count`` pieces, or None as soon as one does not fit."""
    step = ceil(len(speech.samples) / count)
    clips: list[Clip] = []
    for first in range(0, len(speech.samples), step):
        piece = Speech(speech.samples[first : first + step], speech.rate_hz)
        clip = await _clip(piece, wish.format, wish.rate_hz, encode)
        if len(clip.payload) > room:
            return None
        clips.append(clip)
    return clips


def _sliced(whole: Clip, room: int) -> list[Clip]:
    if room < 2:
        raise OutputFailure("too_large", "no sample fits into a message")
    return [
        Clip(
            whole.payload[first : first + room],
            whole.format,
            whole.rate_hz,
            len(whole.payload[first : first + room]) / 2 / whole.rate_hz,
        )
        for first in range(0, len(whole.payload), room)
    ]
