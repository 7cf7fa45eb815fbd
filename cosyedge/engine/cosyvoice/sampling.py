"""Repetition-aware sampling: the next speech token from the model's logits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyedge.engine.cosyvoice.plan import LanguagePlan

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one token is drawn; the plan's numbers, and the request's temperature."""

    top_p: float
    top_k: int
    window: int
    repeats: float
    temperature: float = 1.0

    @classmethod
    def of(cls, plan: LanguagePlan, temperature: float = 1.0) -> "Sampling":
        """Take the official numbers of a model."""
        repeats = plan.repeat_window * plan.repeat_share
        return cls(plan.top_p, plan.top_k, plan.repeat_window, repeats, temperature)


def draw(
    logits: Floats,
    history: Sequence[int],
    sampling: Sampling,
    random: np.random.Generator,
    *,
    may_stop: bool,
) -> int:
    """Draw a token from ``logits`` [speech + 1], whose last entry is the stop.

    The stop is masked before the nucleus is cut: masked after it, a nucleus that holds nothing but
    the stop is drawn from for ever (a known fault of the original).
    """
    scores = logits / np.float32(sampling.temperature)
    if not may_stop:
        scores[-1] = -np.inf
    chances = _softmax(scores)
    token = _pick(_nucleus(chances, sampling), chances, random)
    recent = history[-sampling.window :]
    if recent.count(token) >= sampling.repeats:
        scores[token] = -np.inf
        chances = _softmax(scores)
        return _pick(None, chances, random)
    return token


def _nucleus(chances: Floats, sampling: Sampling) -> NDArray[np.intp]:
    """Return the likeliest ids, at most top_k, each while the sum before it is below top_p."""
    count = min(sampling.top_k, len(chances))
    least = np.partition(chances, -count)[-count]
    ids = np.flatnonzero(chances >= least)
    ids = ids[np.argsort(-chances[ids], kind="stable")][:count]
    before = np.cumsum(chances[ids]) - chances[ids]
    keep = max(1, int(np.searchsorted(before, sampling.top_p)))
    return ids[:keep]


def _pick(ids: NDArray[np.intp] | None, chances: Floats, random: np.random.Generator) -> int:
    weights = chances if ids is None else chances[ids]
    sums = np.cumsum(weights, dtype=np.float64)
    at = int(np.searchsorted(sums, random.random() * sums[-1], side="right"))
    at = min(at, len(weights) - 1)
    return at if ids is None else int(ids[at])


def _softmax(scores: Floats) -> Floats:
    exp: Floats = np.exp(scores - scores.max())
    exp /= exp.sum()
    return exp
