"""Whether a piece can be what was asked for: the faults that a generated voice is known for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Half the pace of the slowest and twice that of the fastest speech, in seconds a character.
WIDE_S = (0.08, 0.60)
NARROW_S = (0.02, 0.20)
SLACK_S = 1.5
LOOP_TOKENS = (1, 40)
# A held vowel or a pause repeats one token for half a second; a loop goes on for longer.
LOOP_TOTAL = 60
LOOP_TIMES = 3
SILENT = 10 ** (-50 / 20)
SILENT_SHARE = 0.7
CLIPPED_SHARE = 0.02
WINDOW_S = 0.02
WIDE = "\u2e80"


def fault_of_tokens(tokens: Sequence[int], *, stopped: bool) -> str | None:
    """Say what is wrong with a token sequence, or None."""
    if not tokens:
        return "the model said nothing"
    if not stopped:
        return "the model did not stop"
    return "the model repeats itself" if _loops(tokens) else None


def fault_of_samples(
    samples: Floats, rate_hz: int, limit: float, piece: str | None = None, speed: float = 1.0
) -> str | None:
    """Say what is wrong with samples, or None; without ``piece``, only whether they are numbers.

    ``limit`` is where the vocoder clips.
    """
    if not len(samples) or not np.isfinite(samples).all():
        return "the samples are not numbers"
    if piece is None:
        return None
    least, most = _plausible_s(piece, speed)
    duration_s = len(samples) / rate_hz
    if not least <= duration_s <= most:
        return f"{duration_s:.1f} s for {len(piece)} characters"
    if np.mean(np.abs(samples) >= limit) > CLIPPED_SHARE:
        return "the samples are clipped"
    if _silent_share(samples, rate_hz) > SILENT_SHARE:
        return "the speech is mostly silent"
    return None


def _plausible_s(piece: str, speed: float) -> tuple[float, float]:
    wide = sum(char > WIDE for char in piece)
    narrow = len(piece) - wide
    least, most = (wide * w + narrow * n for w, n in zip(WIDE_S, NARROW_S, strict=True))
    return least / speed, (most + SLACK_S) / speed


def _loops(tokens: Sequence[int]) -> bool:
    """Find a stretch that stands several times in a row and lasts longer than any held sound."""
    ids = np.asarray(tokens)
    for period in range(*LOOP_TOKENS):
        needed = max(LOOP_TIMES * period, LOOP_TOTAL) - period
        same = ids[period:] == ids[:-period]
        if len(same) < needed:
            continue
        sums = np.concatenate([[0], np.cumsum(same)])
        if np.any(sums[needed:] - sums[:-needed] == needed):
            return True
    return False


def _silent_share(samples: Floats, rate_hz: int) -> float:
    size = max(1, int(WINDOW_S * rate_hz))
    count = len(samples) // size
    if not count:
        return 0.0
    windows = samples[: count * size].reshape(count, size)
    return float(np.mean(np.sqrt(np.mean(windows**2, axis=1)) < SILENT))
