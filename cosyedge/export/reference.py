"""Run a bundle on a reference file of the official modules' outputs, and compare.

A reference file holds text ids, a speaker's embedding, speech tokens and what each module made of
them; the random numbers behind it are drawn here again, in the same order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.errors import EngineFailure, SettingsError
from cosyedge.engine.cosyvoice.flow import Condition, Integration, time_grid, velocity
from cosyedge.engine.cosyvoice.language_model import Cache
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.vocoder import SourceNoise
from cosyedge.engine.cosyvoice.watch import unwatched

Floats: TypeAlias = NDArray[np.float32]
Reference: TypeAlias = Mapping[str, NDArray[Any]]

DEFAULT_SEED = 5
NEEDED = ("text_ids", "embedding", "tokens")


@dataclass(frozen=True, slots=True)
class Noise:
    """The draws behind a reference: z [1, mel, T], and the source's phase and noise."""

    z: Floats
    source: SourceNoise


def draw_noise(model: Model, frames: int, seed: int) -> Noise:
    """Draw as the reference did: z, then a phase for each harmonic, then the source's noise."""
    random = np.random.RandomState(seed)
    harmonics = model.plan.vocoder.harmonics
    z = random.standard_normal((1, model.plan.flow.mel_bins, frames)).astype(np.float32)
    phase = random.uniform(-np.pi, np.pi, (1, harmonics, 1)).astype(np.float32)
    phase[:, 0] = 0
    samples = model.plan.samples_per_frame * frames
    noise = random.standard_normal((1, harmonics, samples)).astype(np.float32)
    return Noise(z, SourceNoise(phase[0, :, 0], noise[0]))


def read_reference(path: Path) -> dict[str, NDArray[Any]]:
    """Read a reference file; raises SettingsError (model_missing, model_invalid)."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise SettingsError("model_missing", f"{path} does not exist") from None
    except (OSError, ValueError, AttributeError) as error:
        raise SettingsError("model_invalid", f"{path.name} cannot be read ({error})") from error
    for name in NEEDED:
        if name not in arrays:
            raise SettingsError("model_invalid", f"{path.name} has no {name}")
    return arrays


def run_reference(
    model: Model, reference: Reference, seed: int
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield what the bundle makes of a reference's inputs, by the reference's array names.

    From the text to the logits and from the tokens to the mel, errors add up. F0, source and
    waveform are each made of the reference's own input: F0 is summed over the whole sentence, so
    that its last bit turns the source's phase by a thousandth. ``wav_end_to_end`` is made of our
    own mel, F0 and source.
    """
    embedding = reference["embedding"].reshape(-1).astype(np.float32)
    tokens = [int(number) for number in reference["tokens"].reshape(-1)]
    text_ids = [int(number) for number in reference["text_ids"].reshape(-1)]
    if max(text_ids) >= model.plan.text_tokens or max(tokens) >= model.plan.language.speech_tokens:
        raise SettingsError("model_invalid", "the reference was made by a larger model")
    yield from _language(model, text_ids, tokens, embedding)
    projected = model.projected(tokens, unwatched())
    yield "flow_proj", projected[None]
    condition = Condition(model.mu(projected, unwatched()), model.assets.flow_speaker(embedding))
    yield "mu", condition.mu
    yield "spks", condition.speaker
    yield from _sound(model, reference, condition, seed)


def _language(
    model: Model, text_ids: list[int], tokens: list[int], embedding: Floats
) -> Iterator[tuple[str, Floats]]:
    prefix = model.prefix(text_ids, embedding, unwatched())
    yield "text_affine", prefix[None, 2:-1]
    yield "prefill_input", prefix[None]
    plan = model.plan.language
    rows, width = len(prefix), plan.head_width
    if rows + len(tokens) > plan.positions:
        raise EngineFailure("engine_error", f"the bundle reaches {plan.positions} positions")
    cache = Cache(model.stages.session("language_model"), plan, 1, rows + len(tokens))
    logits = [cache.advance(prefix[None]).copy()]
    for name, layer in (("first", 0), ("last", plan.layers - 1)):
        pair = [cache.arrays[f"{kind}_{layer}"][0, :, :rows, :width] for kind in ("key", "value")]
        yield f"kv_prefill_{name}", np.concatenate(pair, axis=-1)
    steps = (cache.advance(model.assets.speech([token])[None]).copy() for token in tokens[:-1])
    logits.extend(steps)
    yield "logits", np.concatenate(logits)


def _sound(
    model: Model, reference: Reference, condition: Condition, seed: int
) -> Iterator[tuple[str, Floats]]:
    watch = unwatched()
    noise = draw_noise(model, condition.mu.shape[2], seed)
    start = time_grid(model.plan.flow, 1)[:1]
    estimator = model.stages.session("estimator")
    yield "est_first_out", velocity(estimator, noise.z, start, condition, watch)
    mel = model.mel(condition, noise.z, Integration(), watch)
    yield "mel", mel
    given = {name: reference.get(name) for name in ("mel", "f0", "source")}
    given_mel = mel if given["mel"] is None else given["mel"].astype(np.float32)
    f0 = model.f0(given_mel, watch)
    yield "f0", f0[None]
    given_f0 = f0 if given["f0"] is None else given["f0"].reshape(-1).astype(np.float32)
    source = model.source(given_f0, noise.source)
    yield "source", source[None, None]
    given_source = source if given["source"] is None else given["source"].reshape(-1)
    yield "wav", model.samples(given_mel, given_source.astype(np.float32), watch)[None]
    own = model.source(model.f0(mel, watch), noise.source)
    yield "wav_end_to_end", model.samples(mel, own, watch)[None]
