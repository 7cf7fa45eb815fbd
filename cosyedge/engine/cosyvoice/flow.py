"""The flow: speech tokens → mu → mel, by Euler steps along the estimator's velocity."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyedge.engine.cosyvoice.plan import FlowPlan
from cosyedge.engine.cosyvoice.watch import Watch
from cosyedge.engine.session import Session

Floats = NDArray[np.float32]

OFFICIAL_STEPS = 10
# Longer sequences are stretched in three parts, so that both ends keep their frames.
END_TOKENS = 20


@dataclass(frozen=True, slots=True)
class Integration:
    """How finely the flow is integrated: Euler steps over an official grid of ``grid`` steps.

    ``evaluated``: the steps at which the estimator is run, 0 first; its velocity is held until the
    next of them, which makes one longer step of several. ``guided``: those that also measure what
    guidance adds (twice the work); the others add what was measured last.
    """

    grid: int = OFFICIAL_STEPS
    evaluated: tuple[int, ...] = tuple(range(OFFICIAL_STEPS))
    guided: tuple[int, ...] = tuple(range(OFFICIAL_STEPS))

    @classmethod
    def even(cls, steps: int, guided: int) -> "Integration":
        """Return ``steps`` steps of a grid of as many, ``guided`` of them, evenly spread."""
        guided = min(guided, steps)
        spread = tuple(-(-number * steps // guided) for number in range(guided))
        return cls(steps, tuple(range(steps)), spread)


def stretched(plan: FlowPlan, rows: Floats, frames: int) -> Floats:
    """Interpolate token rows [L, mel] to [1, mel, frames] mel frames."""
    x = rows.T
    if x.shape[1] <= 2 * END_TOKENS:
        return _interpolated(x, frames)[None]
    end = int(END_TOKENS / plan.token_rate_hz * plan.mel_rate_hz / plan.mel_hop)
    parts = [
        _interpolated(x[:, :END_TOKENS], end),
        _interpolated(x[:, END_TOKENS:-END_TOKENS], frames - 2 * end),
        _interpolated(x[:, -END_TOKENS:], end),
    ]
    return np.concatenate(parts, axis=1)[None]


def at_speed(mel: Floats, speed: float) -> Floats:
    """Stretch a mel [1, bins, T] to T/speed frames; the pitch stays, F0 is read from the mel."""
    if speed == 1.0:
        return mel
    return _interpolated(mel[0], max(1, int(mel.shape[2] / speed)))[None]


def _interpolated(x: Floats, size: int) -> Floats:
    """Interpolate [channels, n] linearly to ``size``, as torch does without align_corners."""
    count = x.shape[1]
    at = np.maximum((np.arange(size) + 0.5) * (count / size) - 0.5, 0)
    low = np.minimum(at.astype(np.int64), count - 1)
    high = np.minimum(low + 1, count - 1)
    share = (at - low).astype(np.float32)
    return np.ascontiguousarray(x[:, low] * (1 - share) + x[:, high] * share, np.float32)


def time_grid(plan: FlowPlan, steps: int) -> Floats:
    """Return the times [steps + 1] from 0 to 1."""
    even = np.linspace(0, 1, steps + 1, dtype=np.float32)
    if plan.schedule != "cosine":
        return even
    return np.asarray(1 - np.cos(even * np.float32(0.5 * np.pi)), np.float32)


@dataclass(frozen=True, slots=True)
class Condition:
    """What the estimator is told beside x: mu [1, mel, T] and the speaker [1, mel]."""

    mu: Floats
    speaker: Floats


def velocity(
    session: Session, x: Floats, time: Floats, condition: Condition, watch: Watch
) -> Floats:
    """Run the estimator on the guided pair of rows: [2, mel, T], with and without condition."""
    feeds = {
        "x": np.concatenate([x, x]),
        "mu": np.concatenate([condition.mu, np.zeros_like(condition.mu)]),
        "speaker": np.concatenate([condition.speaker, np.zeros_like(condition.speaker)]),
        "time": np.asarray(time, np.float32).reshape(1),
    }
    return session.run(feeds, watch.cancel)[0]


def integrate(
    session: Session,
    plan: FlowPlan,
    condition: Condition,
    noise: Floats,
    how: Integration,
    watch: Watch,
) -> Floats:
    """Return the mel [1, mel, T] that ``noise`` [1, mel, T] flows to.

    ``watch`` is asked at every step. Raises Cancelled, EngineFailure.
    """
    grid = time_grid(plan, how.grid)
    times = [*grid[list(how.evaluated)], grid[-1]]
    gain, added = np.float32(plan.guidance), np.zeros_like(noise)
    x, time, step = noise, times[0], times[1] - times[0]
    for number, index in enumerate(how.evaluated):
        watch.check()
        if index in how.guided:
            pair = velocity(session, x, time, condition, watch)
            change, added = pair[:1], gain * (pair[:1] - pair[1:])
        else:
            change = _unguided(session, x, time, condition, watch)
        x = x + step * (change + added)
        time = time + step
        if number + 2 < len(times):
            step = times[number + 2] - time
    return x


def _unguided(
    session: Session, x: Floats, time: Floats, condition: Condition, watch: Watch
) -> Floats:
    feeds = {
        "x": x,
        "mu": condition.mu,
        "speaker": condition.speaker,
        "time": np.asarray(time, np.float32).reshape(1),
    }
    return session.run(feeds, watch.cancel)[0]
