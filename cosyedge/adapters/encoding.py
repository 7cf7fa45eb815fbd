"""Encoding and decoding audio: the only importer of soundfile.

Every codec works on a memfd, never on BytesIO: for that soundfile makes cffi callbacks, which
need writable and executable memory and fail under systemd's MemoryDenyWriteExecute.
"""

import asyncio
import os
import struct
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import soundfile
from numpy.typing import NDArray

from cosyedge.adapters.resample import resampled
from cosyedge.core.errors import OutputFailure, StorageFailure
from cosyedge.core.speech import Samples, Speech

Pcm: TypeAlias = NDArray[np.int16]

MIN_RATE_HZ: Final = 8_000
MAX_RATE_HZ: Final = 48_000
_FULL_SCALE: Final = 32_767
# Shorter than a hop to a thread and back, on a busy loop.
_INLINE_FRAMES: Final = 10 * 24_000


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its media type, its file ending, and what soundfile calls it.

    ``rates_hz`` lists the rates it takes, ascending; empty for any.
    """

    content_type: str
    suffix: str
    major: str
    subtype: str
    rates_hz: tuple[int, ...] = ()


_OPUS_RATES: Final = (24_000, 48_000)
_MP3_RATES: Final = (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)

FORMATS: Mapping[str, Format] = {
    "wav": Format("audio/wav", ".wav", "WAV", "PCM_16"),
    "flac": Format("audio/flac", ".flac", "FLAC", "PCM_16"),
    "mp3": Format("audio/mpeg", ".mp3", "MP3", "MPEG_LAYER_III", _MP3_RATES),
    "opus": Format("audio/ogg", ".opus", "OGG", "OPUS", _OPUS_RATES),
    "pcm": Format("audio/L16", ".pcm", "RAW", "PCM_16"),
}


def rate_for(format: str, rate_hz: int) -> int:
    """The rate that a clip of ``rate_hz`` leaves at: the next higher one the format takes.

    Raises OutputFailure("unsupported_format") for an unknown format or a rate out of range.
    """
    known = FORMATS.get(format)
    if known is None:
        raise OutputFailure("unsupported_format", f"no such format: {format}", field="format")
    if not MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ:
        raise OutputFailure("unsupported_format", f"no such rate: {rate_hz} Hz", field="rate")
    return next((rate for rate in known.rates_hz if rate >= rate_hz), rate_hz)


def encode(speech: Speech, format: str, rate_hz: int | None = None) -> bytes:
    """Encode one clip, resampled where ``rate_hz`` or the format asks for it. Blocks.

    ``pcm`` is headless s16le. Costs for 2 s at 24 kHz: wav and pcm 0.1 ms, flac 1 ms,
    mp3 20 ms, opus 86 ms. Raises OutputFailure("unsupported_format").
    """
    speech = resampled(speech, rate_for(format, rate_hz or speech.rate_hz))
    pcm = to_pcm(speech.samples)
    if format == "pcm":
        return pcm.tobytes()
    if format == "wav":
        return _wav_header(len(pcm), speech.rate_hz) + pcm.tobytes()
    return _encode_pcm(pcm, speech.rate_hz, FORMATS[format])


def encode_flac(pcm: Pcm, rate_hz: int) -> bytes:
    """Encode int16 samples without any loss; what comes back is bit for bit the same."""
    return _encode_pcm(pcm, rate_hz, FORMATS["flac"])


def decode(source: bytes | int | Path, *, max_s: float = 600.0) -> Speech:
    """Decode a whole file (its bytes, an open descriptor or a path) to mono. Blocks.

    Reads WAV, FLAC, MP3, Ogg Opus and Vorbis; channels are averaged. Raises
    StorageFailure("corrupt") for what is none of these or is longer than ``max_s``.
    """
    with _open(source) as file:
        limit = int(max_s * file.samplerate)
        samples = file.read(limit + 1, dtype="float32", always_2d=True)  # (frames, channels)
        rate_hz = int(file.samplerate)
    if len(samples) > limit:
        raise StorageFailure("corrupt", f"the recording is longer than {max_s:g} s")
    mono = samples[:, 0] if samples.shape[1] == 1 else samples.mean(axis=1)
    return Speech(np.ascontiguousarray(mono, dtype=np.float32), rate_hz)


def decode_pcm(data: bytes, max_frames: int) -> tuple[Pcm, int]:
    """Decode a mono file to int16 samples and their rate; raises StorageFailure("corrupt")."""
    with _open(data) as file:
        if file.channels != 1 or file.frames > max_frames:
            raise StorageFailure("corrupt", "the entry is not what was written")
        return file.read(max_frames, dtype="int16"), int(file.samplerate)


def to_pcm(samples: Samples) -> Pcm:
    """Round to int16; what exceeds full scale is clipped. Shape ``(frames,)`` stays."""
    scaled = np.clip(samples, -1.0, 1.0) * np.float32(_FULL_SCALE)
    rounded: Pcm = np.rint(scaled, out=scaled).astype("<i2")
    return rounded


def from_pcm(pcm: Pcm) -> Samples:
    """Undo to_pcm: a second to_pcm gives the same integers. Shape ``(frames,)`` stays."""
    return pcm.astype(np.float32) * np.float32(1 / _FULL_SCALE)


class Encoder:
    """Encoding off the event loop, in a thread of its own."""

    def __init__(self, threads: int = 1) -> None:
        """Begin with no thread running; ``close`` ends them."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="encoder")

    async def encode(self, speech: Speech, format: str, rate_hz: int | None = None) -> bytes:
        """Encode as :func:`encode` does; a short clip to wav or pcm needs no thread."""
        wanted_hz = rate_hz or speech.rate_hz
        is_plain = format in ("wav", "pcm") and wanted_hz == speech.rate_hz
        if is_plain and len(speech.samples) <= _INLINE_FRAMES:
            return encode(speech, format, rate_hz)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, encode, speech, format, rate_hz)

    def close(self) -> None:
        """Let a clip in work end, drop those that wait."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _wav_header(frames: int, rate_hz: int) -> bytes:
    """A canonical 44-byte RIFF header for mono s16le."""
    size = 2 * frames
    layout = (16, 1, 1, rate_hz, 2 * rate_hz, 2, 16)
    return (
        struct.pack("<4sI4s4s", b"RIFF", 36 + size, b"WAVE", b"fmt ")
        + struct.pack("<IHHIIHH", *layout)
        + struct.pack("<4sI", b"data", size)
    )


def _encode_pcm(pcm: Pcm, rate_hz: int, format: Format) -> bytes:
    descriptor = os.memfd_create("clip", os.MFD_CLOEXEC)
    try:
        with soundfile.SoundFile(
            descriptor,
            "w",
            samplerate=rate_hz,
            channels=1,
            format=format.major,
            subtype=format.subtype,
            closefd=False,
        ) as file:
            file.write(pcm)
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    except (soundfile.SoundFileError, OSError) as error:
        raise OutputFailure("unsupported_format", f"cannot encode: {error}") from error
    finally:
        os.close(descriptor)


@contextmanager
def _open(source: bytes | int | Path) -> Iterator[soundfile.SoundFile]:
    """Open a file to read, translating what soundfile and the system raise meanwhile."""
    descriptor = _descriptor(source)
    try:
        with soundfile.SoundFile(descriptor, closefd=False) as file:
            yield file
    except (soundfile.SoundFileError, OSError, ValueError, TypeError) as error:
        raise StorageFailure("corrupt", f"not a readable audio file: {error}") from error
    finally:
        if not isinstance(source, int):
            os.close(descriptor)


def _descriptor(source: bytes | int | Path) -> int:
    if isinstance(source, int):
        return source
    if isinstance(source, Path):
        try:
            return os.open(source, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise StorageFailure("disk", f"cannot read {source.name}: {error}") from error
    descriptor = os.memfd_create("clip", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as memory:
        memory.write(source)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
