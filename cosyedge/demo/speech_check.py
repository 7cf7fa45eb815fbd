"""Whether samples hold speech: long enough for the text, loud enough, and not one even noise."""

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.shaping import check_audio
from cosyedge.core.speech import Speech

# The quickest voice needs 30 ms a letter at normal speed; measured are 55 to 75.
SHORTEST_S_PER_LETTER = 0.03
_FRAME_S = 0.02
_LOUD_DBFS = -45.0
_LOUD_SHARE = 0.3
# Speech swings by 20 dB and more between vowels and stops; hum and noise hardly do.
_SWING_DB = 12.0


def speech_fault(speech: Speech, text: str) -> str | None:
    """Say why this is no speech of ``text``; None if it is."""
    flaw = check_audio(speech.samples, speech.rate_hz)
    if flaw is not None:
        return f"the audio is {flaw.value}"
    letters = sum(character.isalpha() for character in text)
    if speech.duration_s < SHORTEST_S_PER_LETTER * letters:
        return f"{speech.duration_s:.2f} s are too short for {letters} letters"
    levels = _levels_dbfs(speech)
    if float(np.mean(levels > _LOUD_DBFS)) < _LOUD_SHARE:
        return "it is silent"
    if float(np.percentile(levels, 95) - np.percentile(levels, 5)) < _SWING_DB:
        return "it is an even noise"
    return None


def _levels_dbfs(speech: Speech) -> NDArray[np.float64]:
    """Level of each 20 ms, shape ``(frames,)``."""
    size = int(_FRAME_S * speech.rate_hz)
    whole = speech.samples[: len(speech.samples) // size * size].astype(np.float64)
    power = (whole.reshape(-1, size) ** 2).mean(axis=1)  # (frames,)
    levels: NDArray[np.float64] = 10 * np.log10(np.maximum(power, 1e-12))
    return levels
