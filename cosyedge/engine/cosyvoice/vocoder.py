"""The vocoder at work: mel → F0 → harmonic source → spectra in chunks → waveform."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cosyedge.engine.cosyvoice.plan import ModelPlan, VocoderPlan
from cosyedge.engine.cosyvoice.watch import Watch
from cosyedge.engine.session import Session

Floats = NDArray[np.float32]

# Mel frames a run, beside their context: 10 s of audio in one run peak 370 MB above the weights,
# chunks below 120 MB.
CHUNK_FRAMES = 256
MAGNITUDE_MAX = 100.0
VOICED_NOISE_DIVISOR = 3.0


@dataclass(frozen=True, slots=True)
class SourceNoise:
    """What the source draws: phases [harmonics] of each harmonic, noise [harmonics, samples]."""

    phase: Floats
    noise: Floats

    @classmethod
    def draw(cls, plan: VocoderPlan, samples: int, random: np.random.Generator) -> "SourceNoise":
        """Draw both; the fundamental begins at phase 0."""
        phase = random.uniform(-np.pi, np.pi, plan.harmonics).astype(np.float32)
        phase[0] = 0
        noise = random.standard_normal((plan.harmonics, samples), dtype=np.float32)
        return cls(phase, noise)


def harmonic_source(
    plan: ModelPlan, f0: Floats, drawn: SourceNoise, weight: Floats, bias: Floats
) -> Floats:
    """Return the excitation [samples] for F0 [frames] in hertz: sines where voiced, and noise.

    The phase is summed in float64 and rounded once: a float32 sum drifts over 200 000 samples.
    """
    vocoder = plan.vocoder
    pitch = np.repeat(f0.astype(np.float32), plan.samples_per_frame)
    voiced = (pitch > vocoder.voiced_above_hz).astype(np.float32)
    loudness = voiced * np.float32(vocoder.noise) + (1 - voiced) * np.float32(
        vocoder.source_amplitude / VOICED_NOISE_DIVISOR
    )
    mixed = np.full(len(pitch), bias[0], np.float32)
    for harmonic in range(vocoder.harmonics):
        cycles = pitch * np.float32(harmonic + 1) / np.float32(plan.rate_hz)
        turned = np.cumsum(cycles, dtype=np.float64).astype(np.float32) % np.float32(1)
        angle = np.float32(2 * np.pi) * turned + drawn.phase[harmonic]
        sine = np.sin(angle) * np.float32(vocoder.source_amplitude)
        mixed += weight[harmonic] * (sine * voiced + loudness * drawn.noise[harmonic])
    return np.tanh(mixed)


def hann(size: int) -> Floats:
    """Return the periodic Hann window [size]."""
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)).astype(np.float32)


def spectra(signal: Floats, n_fft: int, hop: int) -> Floats:
    """Return real ‖ imaginary parts [n_fft + 2, frames] of centred, reflected frames."""
    padded = np.pad(signal, n_fft // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, n_fft)[::hop]
    found = np.fft.rfft(frames * hann(n_fft), axis=1)
    return np.concatenate([found.real, found.imag], axis=1).T.astype(np.float32)


def waveform(found: Floats, n_fft: int, hop: int) -> Floats:
    """Invert log magnitude ‖ phase [n_fft + 2, frames] to samples [(frames − 1)·hop]."""
    half = n_fft // 2 + 1
    magnitude = np.minimum(np.exp(found[:half]), np.float32(MAGNITUDE_MAX))
    phase = np.sin(found[half:])
    return inverse((magnitude * np.cos(phase) + 1j * (magnitude * np.sin(phase))).T, n_fft, hop)


def inverse(found: NDArray[np.complexfloating], n_fft: int, hop: int) -> Floats:
    """Add up the frames behind ``found`` [frames, n_fft/2 + 1] to samples [(frames − 1)·hop]."""
    window = hann(n_fft)
    frames = np.fft.irfft(found, n_fft, axis=1).astype(np.float32) * window
    count = len(frames)
    total, weight = (np.zeros((count - 1) * hop + n_fft, np.float32) for _ in range(2))
    # Every n_fft/hop-th frame touches the next one: they are added at once, without overlap.
    lanes = -(-n_fft // hop)
    square = np.broadcast_to(window**2, (count, n_fft))
    for lane in range(lanes):
        for into, part in ((total, frames[lane::lanes]), (weight, square[lane::lanes])):
            _lay(into, part, lane * hop, lanes * hop)
    inside = slice(n_fft // 2, n_fft // 2 + (count - 1) * hop)
    return total[inside] / weight[inside]


def _lay(into: Floats, frames: Floats, start: int, stride: int) -> None:
    """Add frames [n, size] at ``start``, ``start + stride``, ...; size ≤ stride."""
    count, size = frames.shape
    if not count:
        return
    end = start + (count - 1) * stride + size
    whole = into[start : start + count * stride]
    if len(whole) == count * stride:
        whole.reshape(count, stride)[:, :size] += frames
        return
    into[start : start + (count - 1) * stride].reshape(count - 1, stride)[:, :size] += frames[:-1]
    into[end - size : end] += frames[-1]


def speak(
    session: Session,
    plan: ModelPlan,
    mel: Floats,
    source: Floats,
    watch: Watch,
    chunk_frames: int = CHUNK_FRAMES,
) -> Floats:
    """Return samples for a mel [1, bins, T] and its source [samples], a chunk at a time.

    Each chunk is run with enough context to both sides that its inside is what one run over the
    whole would give. ``watch`` is asked at every chunk. Raises Cancelled, EngineFailure.
    """
    vocoder = plan.vocoder
    rate, context, frames = vocoder.upsampling, vocoder.context_frames, mel.shape[2]
    lines = spectra(source, vocoder.n_fft, vocoder.hop)[None]
    parts = []
    for first, last in pairwise(_bounds(frames, context, chunk_frames)):
        watch.check()
        low, high = max(0, first - context), min(frames, last + context)
        feeds = {
            "mel": np.ascontiguousarray(mel[:, :, low:high]),
            "source": np.ascontiguousarray(lines[:, :, low * rate : high * rate + 1]),
        }
        made = session.run(feeds, watch.cancel)[0][0]
        # The whole has one spectrum more than T·rate: it belongs to the last chunk.
        end = (last - low) * rate + (last == frames)
        parts.append(made[:, (first - low) * rate : end])
    samples = waveform(np.concatenate(parts, axis=1), vocoder.n_fft, vocoder.hop)
    return np.clip(samples, -vocoder.limit, vocoder.limit)


def _bounds(frames: int, context: int, chunk_frames: int) -> list[int]:
    """Cut ``frames`` evenly, the ends included; the first and the last chunk lack one context."""
    count = max(1, -(-(frames - 2 * context) // chunk_frames))
    return [frames * number // count for number in range(count + 1)]
