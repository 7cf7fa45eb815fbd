"""The reader: texts become utterances, and utterances become requests to a voice."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

from cosyedge.core.announcement import VoiceChoice
from cosyedge.core.errors import Refusal
from cosyedge.core.speech import SpeechRequest
from cosyedge.core.utterance import Utterance
from cosyedge.core.voice import Voice
from cosyedge.text import Reading, ReadingOptions, read, warm

REMEMBERED = 512
#: Reading costs about 1 ms for 60 characters: longer texts leave the event loop alone. So does
#: one in another script, which may be the first of its language (to load one takes 20 to 100 ms).
SHORT_CHARS = 120


class Reader:
    """Reads texts with the node's options and the chosen voice's bounds.

    Readings are remembered: homes and factories say the same things again and again.
    """

    def __init__(
        self,
        voices: Mapping[str, Voice],
        options: ReadingOptions,
        *,
        default_voice: str,
        quality: Mapping[str, float | int | str],
    ) -> None:
        """``options`` are the node's; a voice and a message override some of them."""
        self.options = options
        self.voices = voices
        self.default_voice = default_voice
        self._quality = quality
        self._warm: frozenset[str] = frozenset()
        self._known: OrderedDict[tuple[str, str, str, str], Reading] = OrderedDict()

    def voice(self, name: str | None) -> Voice | None:
        """The voice by name; None as ``name`` is the default voice, which may be missing.

        Raises Refusal for a name that no voice has.
        """
        if name is not None and name not in self.voices:
            raise Refusal("unknown_voice", f"no voice is called {name!r}", field="voice")
        return self.voices.get(name or self.default_voice)

    async def read(
        self, text: str, *, lang: str | None = None, voice: str | None = None, markup: str = "none"
    ) -> Reading:
        """Read ``text``. Raises Refusal."""
        chosen = self.voice(voice)
        key = (text, lang or "", chosen.name if chosen else "", markup)
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known
        options = self._options(chosen, lang, markup)
        if self._is_quick(text, options):
            reading = read(text, options)
        else:
            reading = await asyncio.to_thread(read, text, options)
        self._known[key] = reading
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return reading

    async def warm(self, languages: frozenset[str]) -> None:
        """Load what texts of these languages need; until then each is read in a thread."""
        await asyncio.to_thread(warm, languages)
        self._warm = languages

    def _is_quick(self, text: str, options: ReadingOptions) -> bool:
        """Whether reading takes a millisecond: short, and of a language that is loaded."""
        if len(text) > SHORT_CHARS or not text.isascii():
            return False
        lang = options.latin_default if options.lang == "auto" else options.lang
        return lang in self._warm

    def request(self, utterance: Utterance, choice: VoiceChoice) -> SpeechRequest:
        """What to ask of an engine for ``utterance``."""
        name = choice.voice or self.default_voice
        voice = self.voices.get(name)
        return SpeechRequest(
            spoken=utterance.spoken,
            lang=utterance.lang,
            voice=name,
            speaker=choice.speaker or (voice.default_speaker if voice else None),
            speed=choice.speed,
            phonemes=utterance.phonemes,
            quality=self._quality if voice and "tiers" in voice.settings else {},
        )

    def reload(self, options: ReadingOptions) -> None:
        """Read by other options from now on."""
        self.options = options
        self._known.clear()

    def _options(self, voice: Voice | None, lang: str | None, markup: str) -> ReadingOptions:
        options = self.options
        if voice is not None:
            options = replace(
                options,
                languages=voice.languages,
                max_chars=voice.max_chars,
                reads_numbers=voice.reads_numbers,
            )
        return replace(
            options, lang=lang or options.lang, markup="ssml" if markup == "ssml" else "none"
        )
