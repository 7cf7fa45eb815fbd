"""Resampling: the only importer of soxr, whose one-shot call keeps no state between threads."""

import numpy as np
import soxr

from cosyedge.core.speech import Speech


def resampled(speech: Speech, rate_hz: int) -> Speech:
    """Give ``speech`` at ``rate_hz`` (0.2 ms a second of audio); itself where that is its rate.

    Band-limited by soxr's HQ recipe. Safe in any thread; lets other threads run meanwhile.
    """
    if speech.rate_hz == rate_hz:
        return speech
    samples = soxr.resample(speech.samples, speech.rate_hz, rate_hz, quality="HQ")
    return Speech(np.asarray(samples, dtype=np.float32), rate_hz)
