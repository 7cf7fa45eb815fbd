"""The studio: where speech is found or made, put together over the plant's adapters."""

import asyncio

from cosyedge.core.announcement import Announcement
from cosyedge.core.chime import attention_tone
from cosyedge.core.loudness import measure
from cosyedge.core.phrase_cache import phrase_key
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.daemon import translate
from cosyedge.daemon.plant import Plant
from cosyedge.service.casting import Casting, Sound
from cosyedge.service.ladder import Ladder
from cosyedge.service.live import LiveSettings
from cosyedge.service.phrasebook import Phrasebook
from cosyedge.service.ports import CachedSpeech
from cosyedge.service.prerender import Prerenderer
from cosyedge.service.reader import Reader
from cosyedge.service.settings import ServiceSettings
from cosyedge.text import READER_VERSION

#: The version of what an engine makes of a request, beside the voice's own files.
ENGINE_VERSION = "1"
TONE_RATE_HZ = 24_000


class Studio:
    """The reader, the phrasebook and the casting of one node."""

    def __init__(self, plant: Plant, settings: ServiceSettings, live: LiveSettings) -> None:
        self._plant = plant
        options = translate.reading_options(plant.settings)
        lexicon = options.lexicon.digest
        reader_version = f"{READER_VERSION}/{ENGINE_VERSION}"

        def key_of(request: SpeechRequest, voice_digest: str) -> str:
            return phrase_key(request, voice_digest, reader_version, lexicon)

        node = settings.node
        self.phrasebook = Phrasebook(
            plant.cache,
            plant.pool,
            plant.clock,
            key_of=key_of,
            measure=measured,
            deadlines=translate.deadlines(plant.settings),
        )
        self.reader = Reader(
            plant.pool.voices, options, default_voice=node.voice, quality=node.quality
        )
        self.prerenderer = Prerenderer(self.phrasebook, self.reader)
        tone = measured(attention_tone(TONE_RATE_HZ))
        ladder = Ladder(self.phrasebook, fallback_voice=node.fallback_voice, tone=tone)
        sound = Sound(ladder, self.reader, self._recording, plant.outputs)
        self.casting = Casting(settings.zones, sound, live, plant.clock)

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the voices of this node speak."""
        voices = self._plant.pool.voices.values()
        return frozenset(language for voice in voices for language in voice.languages)

    async def costs_a_synthesis(self, announcement: Announcement) -> bool:
        """Whether some sentence of it is in no cache."""
        requests = [
            self.reader.request(utterance, announcement.voice)
            for utterance in announcement.utterances
        ]
        return not all([await self.phrasebook.is_kept(request) for request in requests])

    async def _recording(self, name: str) -> CachedSpeech:
        # A recording may last ten minutes, and measuring them takes seconds.
        return await asyncio.to_thread(measured, await self._plant.recordings.load(name))


def measured(speech: Speech) -> CachedSpeech:
    """Speech with its peak and loudness."""
    levels = measure(speech.samples, speech.rate_hz)
    return CachedSpeech(speech, levels.peak, levels.lufs)
