"""Encoding, decoding and resampling."""

import asyncio
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cosyedge.adapters.encoding import (
    FORMATS,
    Encoder,
    decode,
    encode,
    encode_flac,
    from_pcm,
    rate_for,
    to_pcm,
)
from cosyedge.adapters.resample import resampled
from cosyedge.core.errors import OutputFailure, StorageFailure
from cosyedge.core.speech import Speech
from tests.audio.sounds import noise, tone


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 48_000])
@pytest.mark.parametrize("format", ["wav", "flac", "mp3", "opus"])
def test_every_format_comes_back_as_the_same_sound(format: str, rate_hz: int) -> None:
    speech = tone(1.0, rate_hz)
    heard = decode(encode(speech, format))
    assert heard.rate_hz == rate_for(format, rate_hz)
    assert heard.duration_s == pytest.approx(1.0, abs=0.06)
    spectrum = np.abs(np.fft.rfft(heard.samples * np.hanning(len(heard.samples))))
    assert np.argmax(spectrum) / heard.duration_s == pytest.approx(440.0, abs=2.0)
    middle = heard.samples[len(heard.samples) // 4 : -len(heard.samples) // 4]
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(0.316 / np.sqrt(2), rel=0.03)


@pytest.mark.parametrize("format", ["wav", "flac", "pcm"])
def test_lossless_formats_keep_every_bit(format: str) -> None:
    speech = noise(0.5)
    expected = to_pcm(speech.samples)
    data = encode(speech, format)
    if format == "pcm":
        assert data == expected.tobytes()
        return
    assert np.array_equal(to_pcm(decode(data).samples * 32768 / 32767), expected)


def test_wav_header_is_what_a_riff_reader_expects() -> None:
    data = encode(tone(0.5, 22_050), "wav")
    assert data[:4] + data[8:16] == b"RIFFWAVEfmt "
    assert struct.unpack("<I", data[4:8])[0] == len(data) - 8
    assert struct.unpack("<HHIIHH", data[20:36]) == (1, 1, 22_050, 44_100, 2, 16)
    assert struct.unpack("<I", data[40:44])[0] == len(data) - 44 == 2 * 11_025


def test_opus_and_mp3_get_a_rate_they_take() -> None:
    assert rate_for("opus", 22_050) == 24_000
    assert rate_for("opus", 32_000) == 48_000
    assert rate_for("mp3", 20_000) == 22_050
    assert rate_for("flac", 22_050) == 22_050
    assert decode(encode(tone(0.5, 22_050), "opus")).rate_hz == 24_000


def test_asked_rate_is_delivered() -> None:
    assert decode(encode(tone(0.5, 24_000), "wav", 16_000)).rate_hz == 16_000
    assert len(encode(tone(1.0, 24_000), "pcm", 16_000)) == 32_000


@pytest.mark.parametrize(("format", "rate_hz"), [("aac", None), ("wav", 1), ("wav", 10**9)])
def test_unknown_format_or_rate_is_refused(format: str, rate_hz: int | None) -> None:
    with pytest.raises(OutputFailure) as caught:
        encode(tone(0.1), format, rate_hz)
    assert caught.value.code == "unsupported_format"


def test_what_exceeds_full_scale_is_clipped_not_wrapped() -> None:
    assert list(to_pcm(np.array([2.0, -2.0, 1.0, -1.0, 0.0], dtype=np.float32))) == [
        *(32767, -32767, 32767, -32767, 0)
    ]


def test_rounding_twice_changes_nothing() -> None:
    every = np.arange(-32767, 32768, dtype=np.int16)
    assert np.array_equal(to_pcm(from_pcm(every)), every)


@pytest.mark.parametrize(
    "data",
    [b"", b"RIFF", b"<html>not audio</html>", bytes(4096), encode(tone(0.2), "flac")[:300]],
    ids=["empty", "head", "page", "zeros", "truncated"],
)
def test_what_is_no_audio_is_corrupt(data: bytes) -> None:
    with pytest.raises(StorageFailure) as caught:
        decode(data)
    assert caught.value.code == "corrupt"


def test_recording_beyond_its_bound_is_refused_without_reading_it_all() -> None:
    with pytest.raises(StorageFailure):
        decode(encode(tone(2.0), "flac"), max_s=1.0)


def test_stereo_is_averaged(tmp_path: Path) -> None:
    left, right = to_pcm(tone(0.2).samples), np.zeros(4800, dtype=np.int16)
    data = np.stack([left, right], axis=1).astype("<i2").tobytes()
    header = bytearray(encode(tone(0.2), "wav")[:44])
    struct.pack_into("<H", header, 22, 2)
    struct.pack_into("<IHH", header, 28, 96_000, 4, 16)
    struct.pack_into("<I", header, 40, len(data))
    (tmp_path / "two.wav").write_bytes(bytes(header) + data)
    heard = decode(tmp_path / "two.wav")
    assert np.abs(heard.samples).max() == pytest.approx(0.158, rel=0.02)


def test_resampling_keeps_length_pitch_and_level() -> None:
    heard = resampled(tone(1.0, 22_050), 48_000)
    assert heard.rate_hz == 48_000
    assert abs(len(heard.samples) - 48_000) <= 1
    assert np.abs(heard.samples[4800:-4800]).max() == pytest.approx(0.316, rel=0.01)
    same = tone(0.1)
    assert resampled(same, 24_000) is same


async def test_encoding_runs_beside_the_event_loop_and_side_by_side() -> None:
    encoder = Encoder(threads=2)
    speech = noise(3.0)
    formats = ["opus", "mp3", "flac", "wav"] * 3
    clips = await asyncio.gather(*(encoder.encode(speech, format) for format in formats))
    for clip, format in zip(clips, formats, strict=True):
        # An Ogg stream has a random serial number: the sound is compared, not the bytes.
        assert np.array_equal(decode(clip).samples, decode(encode(speech, format)).samples)
    encoder.close()


async def test_resampling_in_many_threads_gives_one_result() -> None:
    speech = noise(1.0)
    expected = resampled(speech, 48_000).samples
    results = await asyncio.gather(
        *(asyncio.to_thread(resampled, speech, 48_000) for _ in range(24))
    )
    assert all(np.array_equal(result.samples, expected) for result in results)


def test_flac_of_the_cache_is_exact() -> None:
    pcm = to_pcm(noise(0.3).samples)
    assert np.array_equal(to_pcm(decode(encode_flac(pcm, 24_000)).samples * 32768 / 32767), pcm)


@pytest.mark.parametrize("format", FORMATS)
def test_formats_work_where_memory_is_never_writable_and_executable(format: str) -> None:
    """As under systemd's MemoryDenyWriteExecute: PR_SET_MDWE, Linux 6.3."""
    script = (
        "import ctypes, sys\n"
        "import numpy as np\n"
        "if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(77)\n"
        "from cosyedge.adapters.encoding import decode, encode\n"
        "from cosyedge.core.speech import Speech\n"
        "speech = Speech(np.sin(np.arange(4800) * 0.05).astype(np.float32), 24_000)\n"
        "data = encode(speech, sys.argv[1])\n"
        "assert sys.argv[1] == 'pcm' or decode(data).duration_s > 0.19\n"
    )
    root = Path(__file__).parents[2]
    status = subprocess.run([sys.executable, "-c", script, format], cwd=root, check=False)
    if status.returncode == 77:
        pytest.skip("this kernel has no PR_SET_MDWE")
    assert status.returncode == 0


def test_encode_leaves_no_descriptor_open() -> None:
    speech = Speech(noise(0.1).samples, 24_000)
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    for format in FORMATS:
        encode(speech, format)
    with pytest.raises(StorageFailure):
        decode(b"nothing")
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before
