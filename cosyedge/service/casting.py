"""Casting: a Start becomes performances, each with its outputs, its parts and its shaping."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from cosyedge.core.announcement import Announcement
from cosyedge.core.decisions import Start
from cosyedge.core.errors import CosyedgeError
from cosyedge.core.policy import loudness_of
from cosyedge.core.shaping import joined, lead_in, shape, silence
from cosyedge.core.speech import Speech
from cosyedge.service.conductor import Stage
from cosyedge.service.ladder import Ladder
from cosyedge.service.live import LiveSettings
from cosyedge.service.parts import Maker, Parts, Recall
from cosyedge.service.performance import FADE_S, Performance
from cosyedge.service.phrasebook import Found, expected_speech_s
from cosyedge.service.ports import CachedSpeech, Clock, Output
from cosyedge.service.reader import Reader
from cosyedge.service.settings import Zone

#: The guess of a part's length is twice what it takes, and the next player must start, too.
SOON_FADES = 2.0

Recording = Callable[[str], Awaitable[CachedSpeech]]


@dataclass(frozen=True, slots=True)
class Sound:
    """Where sound comes from and where it goes; ``recording`` raises OutputFailure or Refusal."""

    ladder: Ladder
    reader: Reader
    recording: Recording
    outputs: Mapping[str, Output]


class Casting:
    """Makes the performances of each Start."""

    def __init__(
        self, zones: Mapping[str, Zone], sound: Sound, live: LiveSettings, clock: Clock
    ) -> None:
        self.zones = zones
        self.sound = sound
        self._live = live
        self._clock = clock
        self._ahead: dict[str, Parts] = {}

    def cast(self, start: Start, on_sound: Callable[[Performance], None]) -> Stage:
        """One performance a zone; they share the speech."""
        announcement = start.announcement
        parts = self._ahead.pop(announcement.id, None) or self._parts(announcement)
        performances = [
            self._performance(start, self.zones[name], parts, on_sound) for name in start.zones
        ]
        return Stage(performances, parts.close)

    async def prepare(self, announcement: Announcement, number: int) -> None:
        """Make a part for the Start to come; what can't be made, that Start will tell."""
        parts = self._ahead.setdefault(announcement.id, self._parts(announcement))
        with suppress(CosyedgeError):
            await parts.part(number)

    def is_soon(self, announcement: Announcement, number: int) -> bool:
        """Whether a part is expected before a fade begun now would end."""
        index = number - (announcement.media is not None)
        voice = self.sound.reader.voices.get(announcement.voice.voice or "")
        if index < 0 or voice is None:
            return True
        spoken = announcement.utterances[index].spoken
        return expected_speech_s(spoken) * voice.real_time_factor <= SOON_FADES * FADE_S

    def forget(self, id: str) -> None:
        """Drop the parts of an announcement that ended before it began."""
        parts = self._ahead.pop(id, None)
        if parts is not None:
            parts.close()

    def _parts(self, announcement: Announcement) -> Parts:
        return Parts(
            announcement.id,
            announcement.parts,
            self._maker(announcement),
            self._recaller(announcement),
        )

    def _performance(
        self, start: Start, zone: Zone, parts: Parts, on_sound: Callable[[Performance], None]
    ) -> Performance:
        fallback = self.sound.outputs.get(zone.fallback_output or "")
        return Performance(
            start.announcement,
            zone.name,
            [self.sound.outputs[name] for name in zone.outputs],
            fallback,
            parts=parts,
            shape=self._shaper(start, zone),
            clock=self._clock,
            on_sound=on_sound,
            from_part=start.from_part,
        )

    def _maker(self, announcement: Announcement) -> Maker:
        sound = self.sound
        recorded = announcement.media is not None

        async def make(number: int) -> Found:
            if announcement.media is not None and number == 0:
                return Found(await sound.recording(announcement.media), cached=True)
            utterance = announcement.utterances[number - recorded]
            request = sound.reader.request(utterance, announcement.voice)
            return await sound.ladder.find(
                request, use=announcement.voice.cache, priority=announcement.priority
            )

        return make

    def _recaller(self, announcement: Announcement) -> Recall:
        sound = self.sound
        recorded = announcement.media is not None

        def recall(number: int) -> Found | None:
            if recorded and number == 0:
                return None
            utterance = announcement.utterances[number - recorded]
            request = sound.reader.request(utterance, announcement.voice)
            return sound.ladder.phrasebook.recall(request, announcement.voice.cache)

        return recall

    def _shaper(self, start: Start, zone: Zone) -> Callable[[Found, int], Speech]:
        announcement = start.announcement
        volume = self._volume(announcement, zone, start.caps.get(zone.name))
        voice = self.sound.reader.voices.get(announcement.voice.voice or "")
        gain_db = voice.gain_db if voice else 0.0

        def ready(found: Found, number: int) -> Speech:
            entry = found.entry
            speech = shape(entry.speech, gain_db=gain_db, volume=volume, peak=entry.peak)
            before = [silence(pause_s, speech.rate_hz)] if (pause_s := pause(number)) else []
            if number == start.from_part and zone.lead_in_s:
                before.insert(0, lead_in(zone.lead_in_s, speech.rate_hz))
            return joined([*before, speech]) if before else speech

        def pause(number: int) -> float:
            index = number - (announcement.media is not None)
            return announcement.utterances[index].pause_before_s if index >= 0 else 0.0

        return ready

    def _volume(self, announcement: Announcement, zone: Zone, cap: float | None) -> float:
        """The zone's volume (as set by topic, else as configured) times the node's."""
        own = self._live.own(zone.name, "volume")
        node = self._live.own(None, "volume")
        zone_volume = (zone.volume if own is None else own) * (1.0 if node is None else node)
        return loudness_of(zone_volume, announcement.rendering, cap)
