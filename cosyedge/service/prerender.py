"""Phrases that are rendered ahead, at idle, and pinned: they survive the engine."""

import asyncio
import logging
from collections.abc import Sequence

from cosyedge.core.announcement import CacheUse, VoiceChoice
from cosyedge.core.errors import CosyedgeError
from cosyedge.core.speech import SpeechRequest
from cosyedge.service.phrasebook import Phrasebook
from cosyedge.service.reader import Reader
from cosyedge.service.settings import Phrase

log = logging.getLogger(__name__)

#: Anybody who waits goes first.
IDLE_PRIORITY = -1


class Prerenderer:
    """Keeps the configured phrases in the cache and knows which are missing."""

    def __init__(self, phrasebook: Phrasebook, reader: Reader) -> None:
        self._phrasebook = phrasebook
        self._reader = reader
        self._wanted: Sequence[Phrase] = ()
        self._changed = asyncio.Event()

    def want(self, phrases: Sequence[Phrase]) -> None:
        """Render ``phrases`` from now on; call again after a voice or a lexicon changed."""
        self._wanted = phrases
        self._changed.set()

    async def run(self) -> None:
        """Render until cancelled; each change starts a new round."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            for phrase in self._wanted:
                await self._render(phrase)

    def texts(self) -> list[str]:
        """The texts of all configured phrases."""
        return [phrase.text for phrase in self._wanted]

    async def missing(self) -> list[str]:
        """The texts of phrases that the cache does not hold."""
        texts = []
        for phrase in self._wanted:
            try:
                kept = [await self._phrasebook.is_kept(r) for r in await self._requests(phrase)]
            except CosyedgeError:
                kept = [False]
            if not all(kept):
                texts.append(phrase.text)
        return texts

    async def prefetch(self, phrase: Phrase, *, pin: bool) -> int:
        """Make one phrase's sentences; returns how many. Raises Refusal or EngineFailure."""
        use = CacheUse.PIN if pin else CacheUse.USE
        requests = await self._requests(phrase)
        for request in requests:
            await self._phrasebook.find(request, use=use, priority=IDLE_PRIORITY)
        return len(requests)

    async def _render(self, phrase: Phrase) -> None:
        try:
            await self.prefetch(phrase, pin=True)
        except CosyedgeError as error:
            log.warning("phrase not rendered: %s", error, extra={"COSYEDGE_CODE": error.code})

    async def _requests(self, phrase: Phrase) -> list[SpeechRequest]:
        reading = await self._reader.read(phrase.text, lang=phrase.lang, voice=phrase.voice)
        choice = VoiceChoice(voice=phrase.voice, speed=phrase.speed)
        return [self._reader.request(utterance, choice) for utterance in reading.utterances]
