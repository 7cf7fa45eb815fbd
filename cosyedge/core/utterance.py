"""The utterance: one sentence as it stood in the text and as it will be spoken."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Utterance:
    """One sentence: the unit of caching, of a worker request and of pre-emption.

    ``text`` is the piece of the input; ``spoken`` is what the engine reads.
    ``pause_before_s`` is silence in seconds, 0 to 5.
    ``phonemes`` is set only where the lexicon gives a pronunciation.
    """

    text: str
    spoken: str
    lang: str
    pause_before_s: float = 0.0
    phonemes: str | None = None
