"""Phrases that are rendered ahead, at idle, and pinned: they survive the engine."""

import asyncio
import logging
from collections.abc import Sequence

from cosyedge.core.announcement import VoiceChoice
from cosyedge.core.errors import CosyedgeError, Refusal
from cosyedge.core.speech import SpeechRequest
from cosyedge.service.phrasebook import Phrasebook
from cosyedge.service.reader import Reader
from cosyedge.service.settings import Phrase

log = logging.getLogger(__name__)

#: Anybody who waits goes first.
IDLE_PRIORITY = -1
#: Phrases of one call of the engine: a model that decodes them together reads its weights once for
#: all, and what is lost to somebody who waits stays small.
TOGETHER = 4
#: A worker is replaced within seconds; what fails for longer is tried ever more rarely.
AGAIN_FIRST_S = 5.0
AGAIN_MOST_S = 600.0


class Prerenderer:
    """Keeps the configured phrases in the cache and knows which are missing."""

    def __init__(
        self, phrasebook: Phrasebook, reader: Reader, *, again_first_s: float = AGAIN_FIRST_S
    ) -> None:
        """``again_first_s``: when what the engine did not make is first tried again."""
        self._again_first_s = again_first_s
        self._phrasebook = phrasebook
        self._reader = reader
        self._wanted: Sequence[Phrase] = ()
        self._changed = asyncio.Event()

    def want(self, phrases: Sequence[Phrase]) -> None:
        """Render ``phrases`` from now on; call again after a voice or a lexicon changed."""
        self._wanted = phrases
        self._changed.set()

    async def run(self) -> None:
        """Render until cancelled; each change starts a new round.

        What an engine in trouble did not make is tried again.
        """
        left: Sequence[Phrase] = ()
        again_s = self._again_first_s
        while True:
            if await self._is_changed(again_s if left else None):
                left, again_s = self._wanted, self._again_first_s
            else:
                again_s = min(2 * again_s, AGAIN_MOST_S)
            left = await self._round(left)

    async def _is_changed(self, patience_s: float | None) -> bool:
        try:
            async with asyncio.timeout(patience_s):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True

    async def _round(self, wanted: Sequence[Phrase]) -> list[Phrase]:
        """Render ``wanted``; returns those to try again."""
        left: list[Phrase] = []
        for first in range(0, len(wanted), TOGETHER):
            left += await self.prefetch(wanted[first : first + TOGETHER], pin=True)
        return left

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

    async def prefetch(self, phrases: Sequence[Phrase], *, pin: bool) -> list[Phrase]:
        """Make the phrases' sentences, those of one voice together.

        One that cannot be made is a line of the log, and keeps no other from being made.
        Returns those whose text is sound: the engine may make them another time.
        """
        try:
            await self._prepare(phrases, pin)
        except CosyedgeError as error:
            if len(phrases) == 1:
                log.warning("phrase not rendered: %s", error, extra={"COSYEDGE_CODE": error.code})
                return [] if isinstance(error, Refusal) else list(phrases)
            return [left for each in phrases for left in await self.prefetch([each], pin=pin)]
        return []

    async def _prepare(self, phrases: Sequence[Phrase], pin: bool) -> None:
        by_voice: dict[str, list[SpeechRequest]] = {}
        for phrase in phrases:
            for request in await self._requests(phrase):
                by_voice.setdefault(request.voice, []).append(request)
        for requests in by_voice.values():
            await self._phrasebook.prepare(requests, pin=pin, priority=IDLE_PRIORITY)

    async def _requests(self, phrase: Phrase) -> list[SpeechRequest]:
        reading = await self._reader.read(phrase.text, lang=phrase.lang, voice=phrase.voice)
        choice = VoiceChoice(voice=phrase.voice, speed=phrase.speed)
        return [self._reader.request(utterance, choice) for utterance in reading.utterances]
