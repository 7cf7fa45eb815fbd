"""How far two runs are apart: differences, signal to noise, and distributions of tokens."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Largest allowed absolute difference at fp32; least allowed likeness at int8.
MAX_ABS_ERROR = {"logits": 1e-4, "mel": 1e-4, "wav": 1e-3}
MIN_SNR_DB = 30.0
MAX_KL = 5e-3
MIN_ARGMAX = 0.95
# Toy sizes carry more noise than true ones; below this nothing is quantized right.
BROKEN_SNR_DB = 15.0


@dataclass(frozen=True, slots=True)
class Likeness:
    """How an int8 bundle stands to fp32: mel SNR in dB, mean KL in nats, share of equal argmax."""

    snr_db: float
    kl: float
    argmax: float

    @property
    def is_within(self) -> bool:
        """Whether all three are what the documentation promises at full size."""
        return self.snr_db >= MIN_SNR_DB and self.kl <= MAX_KL and self.argmax >= MIN_ARGMAX


def max_abs_error(made: Array, wanted: Array) -> float:
    """Return the largest absolute difference; infinite for different shapes or no number."""
    if made.shape != wanted.shape:
        return float("inf")
    error = float(np.max(np.abs(made.astype(np.float64) - wanted)))
    return error if np.isfinite(error) else float("inf")


def snr_db(made: Array, wanted: Array) -> float:
    """Return the signal-to-noise ratio of ``made`` against ``wanted``, in dB."""
    if made.shape != wanted.shape:
        return float("-inf")
    noise = float(np.mean((made.astype(np.float64) - wanted) ** 2))
    return float("inf") if not noise else 10 * float(np.log10(np.mean(wanted**2.0) / noise))


def mean_kl(made: Array, wanted: Array) -> float:
    """Return the mean of KL(wanted ‖ made) over rows of logits [n, tokens], in nats."""
    log_made, log_wanted = _log_softmax(made), _log_softmax(wanted)
    return float(np.mean(np.sum(np.exp(log_wanted) * (log_wanted - log_made), axis=-1)))


def same_argmax(made: Array, wanted: Array) -> float:
    """Return the share of rows whose likeliest token is the same."""
    return float(np.mean(made.argmax(-1) == wanted.argmax(-1)))


def _log_softmax(logits: Array) -> Array:
    shifted: Array = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    shifted -= np.log(np.sum(np.exp(shifted), axis=-1, keepdims=True))
    return shifted
