"""Run a bundle on a reference file of the official modules' outputs, and compare.

A reference file holds text ids, a speaker's embedding, speech tokens and what each module made of
them; the random numbers behind it are drawn here again, in the same order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.errors import EngineFailure, SettingsError
from cosyedge.engine.cosyvoice.flow import Condition, Integration, time_grid, velocity
from cosyedge.engine.cosyvoice.language_model import Cache
from cosyedge.engine.cosyvoice.model import Model, unwatched
from cosyedge.engine.cosyvoice.vocoder import SourceNoise

Floats = NDArray[np.float32]

DEFAULT_SEED = 5
NEEDED = ("text_ids", "embedding", "tokens")
# Largest allowed absolute difference, fp32.
TOLERANCES = {"logits": 1e-4, "mel": 1e-4, "wav": 1e-3}


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
    except (OSError, ValueError) as error:
        raise SettingsError("model_invalid", f"{path.name} cannot be read ({error})") from error
    for name in NEEDED:
        if name not in arrays:
            raise SettingsError("model_invalid", f"{path.name} has no {name}")
    return arrays


def run_reference(model: Model, reference: Mapping[str, NDArray[Any]], seed: int) -> dict[str, Any]:
    """Return what the bundle makes of a reference's inputs, by the reference's array names.

    Each part gets the reference's own input where it holds one, so that errors do not add up.
    """
    text_ids = [int(number) for number in reference["text_ids"].reshape(-1)]
    tokens = [int(number) for number in reference["tokens"].reshape(-1)]
    embedding = reference["embedding"].reshape(-1).astype(np.float32)
    made = _language(model, text_ids, tokens, embedding)
    made |= _flow(model, tokens, embedding, seed)
    return made


def _language(
    model: Model, text_ids: list[int], tokens: list[int], embedding: Floats
) -> dict[str, Floats]:
    prefix = model.prefix(text_ids, embedding, unwatched())
    plan = model.plan.language
    session = model.stages.session("language_model")
    if len(prefix) + len(tokens) > plan.positions:
        raise EngineFailure("engine_error", f"the bundle reaches {plan.positions} positions")
    cache = Cache(session, plan, 1, len(prefix) + len(tokens))
    logits = [cache.advance(prefix[None]).copy()]
    made = {"prefill_input": prefix[None]}
    rows = len(prefix)
    for name, layer in (("first", 0), ("last", plan.layers - 1)):
        pair = [cache.arrays[f"{kind}_{layer}"][0, :, :rows] for kind in ("key", "value")]
        made[f"kv_prefill_{name}"] = np.concatenate(pair, axis=-1)
    steps = (cache.advance(model.assets.speech([token])[None]).copy() for token in tokens[:-1])
    logits.extend(steps)
    made["text_affine"] = prefix[None, 2:-1]
    made["logits"] = np.concatenate(logits)
    return made


def _flow(model: Model, tokens: list[int], embedding: Floats, seed: int) -> dict[str, Floats]:
    watch = unwatched()
    projected = model.projected(tokens, watch)
    condition = Condition(model.mu(projected, watch), model.assets.flow_speaker(embedding))
    noise = draw_noise(model, condition.mu.shape[2], seed)
    estimator = model.stages.session("estimator")
    start = time_grid(model.plan.flow, 10)[:1]
    first = velocity(estimator, noise.z, start, condition, None)
    mel = model.mel(condition, noise.z, Integration(), watch)
    f0 = model.f0(mel, watch)
    source = model.source(f0, noise.source)
    return {
        "flow_proj": projected[None],
        "mu": condition.mu,
        "spks": condition.speaker,
        "est_first_out": first,
        "mel": mel,
        "f0": f0[None],
        "source": source[None, None],
        "wav": model.samples(mel, source, watch)[None],
    }
