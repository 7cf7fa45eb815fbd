"""What a request may ask of the model: a tier, or its parts."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.cosyvoice.flow import Integration

Asked: TypeAlias = Mapping[str, float | int | str]

NOTHING_ASKED: Asked = MappingProxyType({})
STEPS_MAX = 50
# Of all choices of so many runs of the estimator on 10 steps, those nearest to ``fine`` on random
# weights of true size, int8: standard 34 dB, draft 29 dB. The flow's work is 1, 0.4 and 0.25 of
# fine's (docs/benchmarks.md).
TIERS = {
    "fine": Integration(),
    "standard": Integration(evaluated=(0, 3, 5, 7, 8), guided=(0, 5, 7)),
    "draft": Integration(evaluated=(0, 5, 8), guided=(0, 5)),
}
DEFAULT_TIER = "standard"


@dataclass(frozen=True, slots=True)
class Quality:
    """The settings of one request. ``seed`` is mixed with the text and the voice."""

    integration: Integration
    temperature: float = 1.0
    seed: int = 0


def read_quality(asked: Asked) -> Quality:
    """Read a request's quality settings; keys of other engines are left alone.

    Raises EngineFailure("engine_error") for a value that cannot be used.
    """
    tier = str(asked.get("tier", DEFAULT_TIER))
    if tier not in TIERS:
        raise EngineFailure("engine_error", f"no tier {tier!r}; there are {', '.join(TIERS)}")
    return Quality(
        _integration(asked, TIERS[tier]),
        _number(asked, "temperature", 1.0, 0.05, 5.0),
        int(_number(asked, "seed", 0, 0, 2**53)),
    )


def _integration(asked: Asked, tier: Integration) -> Integration:
    """Return the tier's, or as many even steps as are asked for, guided in the tier's share."""
    if "steps" not in asked and "guided" not in asked:
        return tier
    evaluated = len(tier.evaluated)
    steps = int(_number(asked, "steps", evaluated, 1, STEPS_MAX))
    share = -(-len(tier.guided) * steps // evaluated)
    return Integration.even(steps, int(_number(asked, "guided", share, 1, STEPS_MAX)))


def _number(asked: Asked, key: str, default: float, least: float, most: float) -> float:
    try:
        value = float(asked.get(key, default))
    except (ValueError, TypeError):
        value = float("nan")
    if not least <= value <= most:
        raise EngineFailure("engine_error", f"{key} must be {least:g} to {most:g}")
    return value


def generators(*what: str) -> tuple[np.random.Generator, np.random.Generator]:
    """Return the generators of tokens and of noise that belong to these words alone.

    A piece sounds the same each time, alone or in a batch: the phrase cache relies on it.
    """
    key = int.from_bytes(hashlib.sha256("\0".join(what).encode()).digest()[:16])
    tokens, noise = np.random.SeedSequence(key).spawn(2)
    return np.random.default_rng(tokens), np.random.default_rng(noise)
