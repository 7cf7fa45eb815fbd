"""The ladder of degradation: own voice, fallback voice, attention tone, then failure.

Each rung is tried only when the one above it failed; the next sentence starts at the top
again, so the ladder is climbed by itself when the engine recovers.
"""

from dataclasses import replace

from cosyedge.core.announcement import CacheUse
from cosyedge.core.errors import EngineFailure
from cosyedge.core.speech import SpeechRequest
from cosyedge.service.phrasebook import Found, Phrasebook
from cosyedge.service.ports import CachedSpeech

FALLBACK_VOICE = "fallback_voice"
ATTENTION_TONE = "attention_tone"

#: Asking again would get the same answer.
HOPELESS = frozenset({"model_missing", "model_invalid", "engine_unavailable"})


class Ladder:
    """Finds something to play for a sentence, come what may."""

    def __init__(
        self, phrasebook: Phrasebook, *, fallback_voice: str | None, tone: CachedSpeech | None
    ) -> None:
        """``tone`` is played in place of a sentence that no voice could speak."""
        self.phrasebook = phrasebook
        self.fallback_voice = fallback_voice
        self._tone = tone

    async def find(
        self, request: SpeechRequest, *, use: CacheUse = CacheUse.USE, priority: int = 0
    ) -> Found:
        """The best rung that holds. Raises the own voice's EngineFailure when none does."""
        try:
            return await self._with_one_retry(request, use, priority)
        except EngineFailure as error:
            failure = error
        spare = self._spare_voice(request)
        if spare is not None:
            other = replace(request, voice=spare, speaker=None, quality={})
            try:
                found = await self.phrasebook.find(other, use=use, priority=priority)
            except EngineFailure:
                pass
            else:
                return replace(found, degraded=FALLBACK_VOICE, reason=failure.code)
        if self._tone is None:
            raise failure
        return Found(self._tone, cached=True, degraded=ATTENTION_TONE, reason=failure.code)

    async def _with_one_retry(self, request: SpeechRequest, use: CacheUse, priority: int) -> Found:
        try:
            return await self.phrasebook.find(request, use=use, priority=priority)
        except EngineFailure as error:
            if error.code in HOPELESS:
                raise
        return await self.phrasebook.find(request, use=use, priority=priority)

    def _spare_voice(self, request: SpeechRequest) -> str | None:
        voice = self.phrasebook.engine.voices.get(self.fallback_voice or "")
        if voice is None or voice.name == request.voice or request.lang not in voice.languages:
            return None
        return voice.name
