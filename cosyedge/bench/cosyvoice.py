"""The CosyVoice engine at full size with random weights: speed and memory of this box.

A piece of 25 characters is 36 text tokens and 277 speech tokens, 5.5 s of speech, whatever the
random weights would rather say.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import numpy as np

from cosyedge.adapters.voice_folder import read_manifest
from cosyedge.bench.cosyvoice_steps import measure_steps
from cosyedge.bench.cosyvoice_tiers import measure_tiers
from cosyedge.core.errors import SettingsError
from cosyedge.engine.contract import EngineSettings
from cosyedge.engine.cosyvoice import load
from cosyedge.engine.cosyvoice.engine import BATCH, CosyVoice, Piece
from cosyedge.engine.cosyvoice.quality import read_quality
from cosyedge.engine.cosyvoice.watch import unwatched

CHARS = 25
TEXT_TOKENS = 36
SPEECH_TOKENS = 277
# Ten characters.
FIRST_TEXT_TOKENS = 14
FIRST_SPEECH_TOKENS = 110
FLOW_TOKENS = 150
PIECES = 8
SEED = 1


def measure() -> dict[str, float]:
    """Measure everything; takes about ten minutes, and makes the bundle when it is missing."""
    folder = bundle()
    figures = {"bundle_mb": sum(path.stat().st_size for path in folder.iterdir()) / 1e6}
    for mode in ("staged", "resident"):
        figures |= _memory(folder, mode)
    voice = load(read_manifest(folder / "manifest.toml"), folder, EngineSettings(stages="resident"))
    voice.warm_up()
    figures |= measure_steps(voice.model)
    figures |= _parts(voice)
    figures |= _sentences(voice)
    figures |= measure_tiers(voice.model, voice.model.assets.embedding(voice.voice.speakers[0]))
    figures["load_average"] = os.getloadavg()[0]
    return figures


def bundle() -> Path:
    """Return the full-size random bundle in the cache directory, made once.

    Raises SettingsError without the extra that exports need.
    """
    try:
        from cosyedge.export.bundle import FORMAT, Order, write_bundle
    except ImportError as error:
        hint = "pip install '/path/to/cosyedge[export]'"
        raise SettingsError("settings", f"{error.name} is not installed: {hint}") from error
    from cosyedge.export.random_model import SIZES, random_source, single_bytes

    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "cosyedge" / f"random-cosyvoice-{FORMAT}"
    if not (folder / "manifest.toml").exists():
        with single_bytes() as vocabulary:
            order = Order(folder, "int8", vocabulary, "random weights")
            write_bundle(random_source(SIZES["full"], SEED), order, lambda *_: None)
    return folder


def piece(voice: CosyVoice, number: int, tier: str, text_tokens: int, tokens: int) -> Piece:
    """Return a piece of so many text tokens that is spoken in exactly so many speech tokens."""
    random = np.random.default_rng(number)
    return Piece(
        request=number,
        text=f"piece {number}",
        text_ids=random.integers(0, voice.model.plan.text_tokens, text_tokens).tolist(),
        embedding=voice.model.assets.embedding(voice.voice.speakers[0]),
        speaker=voice.voice.speakers[0],
        quality=read_quality({"tier": tier}),
        speed=1.0,
        most=tokens,
        fewest=tokens,
    )


@dataclass(slots=True)
class Times:
    """Wall and processor seconds of several runs."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Time what is done inside."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall_s.append(time.perf_counter() - wall)
        self.cpu_s.append(time.process_time() - cpu)


def _sentences(voice: CosyVoice) -> dict[str, float]:
    """Speak pieces one after another, as somebody waits for each, and then together."""
    audio_s = voice.model.plan.mel_frames(SPEECH_TOKENS) * 256 / voice.model.plan.rate_hz
    standard, draft, together, first = Times(), Times(), Times(), Times()
    for number in range(PIECES):
        _speak(voice, standard, [piece(voice, number, "standard", TEXT_TOKENS, SPEECH_TOKENS)])
        if number % 3 == 0:
            _speak(voice, draft, [piece(voice, number, "draft", TEXT_TOKENS, SPEECH_TOKENS)])
            short = (FIRST_TEXT_TOKENS, FIRST_SPEECH_TOKENS)
            _speak(voice, first, [piece(voice, number, "standard", *short)])
    group = [piece(voice, n, "standard", TEXT_TOKENS, SPEECH_TOKENS) for n in range(BATCH)]
    _speak(voice, together, group)
    figures = {
        "rtf_standard_25": median(standard.wall_s) / audio_s,
        "rtf_draft_25": median(draft.wall_s) / audio_s,
        "rtf_standard_100": median(_sums(standard.wall_s, 4)) / (4 * audio_s),
        "rtf_standard_100_batched": together.wall_s[0] / (BATCH * audio_s),
        "rtf_cpu_standard_25": median(standard.cpu_s) / audio_s,
        "first_audio_s": median(first.wall_s),
    }
    for chars in (50, 100, 200):
        sums = _sums(standard.wall_s, chars // CHARS)
        cpu = _sums(standard.cpu_s, chars // CHARS)
        figures[f"seconds_{chars}"] = median(sums)
        figures[f"seconds_{chars}_p95"] = _p95(sums)
        figures[f"cpu_seconds_{chars}"] = median(cpu)
    return figures


def _speak(voice: CosyVoice, times: Times, pieces: Sequence[Piece]) -> None:
    with times.one():
        list(voice.speak(pieces, unwatched()))


def _sums(values: Sequence[float], count: int) -> list[float]:
    return [sum(values[at : at + count]) for at in range(len(values) - count + 1)]


def _p95(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else quantiles(values, n=20, method="inclusive")[-1]


def _parts(voice: CosyVoice) -> dict[str, float]:
    """Time the flow and the vocoder on a piece of three seconds."""
    model, watch = voice.model, unwatched()
    random = np.random.default_rng(1)
    tokens = random.integers(0, model.plan.language.speech_tokens, FLOW_TOKENS).tolist()
    embedding = model.assets.embedding(voice.voice.speakers[0])
    how = read_quality({}).integration
    noise = random.standard_normal((1, 80, model.plan.mel_frames(FLOW_TOKENS)), dtype=np.float32)
    source = random.standard_normal(noise.shape[2] * 256, dtype=np.float32)
    seconds = len(source) / model.plan.rate_hz

    def flow() -> None:
        model.mel(model.condition(tokens, embedding, watch), noise, how, watch)

    def vocoder() -> None:
        model.f0(noise, watch)
        model.samples(noise, source, watch)

    return {
        "flow_s_per_s": _median_s(flow) / seconds,
        "vocoder_s_per_s": _median_s(vocoder) / seconds,
    }


def _median_s(run: Callable[[], None], times: int = 3) -> float:
    taken = Times()
    for _ in range(times):
        with taken.one():
            run()
    return median(taken.wall_s)


def _memory(folder: Path, mode: str) -> dict[str, float]:
    """Load and speak in a process of its own, as the worker does."""
    done = subprocess.run(
        [sys.executable, "-m", "cosyedge.bench.cosyvoice_memory", str(folder), mode],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    found = json.loads(done.stdout)
    figures = {f"rss_{mode}_mb": found["peak_mb"]}
    return figures | {"load_s": found["load_s"]} if mode == "resident" else figures
