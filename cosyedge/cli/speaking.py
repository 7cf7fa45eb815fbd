"""One text spoken by a worker of this command's own: the same worker that the daemon has."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np

from cosyedge.adapters.player import PlayerOutput, PlayerSettings
from cosyedge.adapters.procstat import rss_bytes
from cosyedge.adapters.voice_folder import FoundVoice, find_voices, search_order
from cosyedge.config import Settings
from cosyedge.config.outputs import PlayerOutputSettings
from cosyedge.core.announcement import VoiceChoice
from cosyedge.core.errors import EngineFailure, OutputFailure
from cosyedge.core.speech import Speech
from cosyedge.core.utterance import Utterance
from cosyedge.daemon import translate
from cosyedge.service.ports import Programme
from cosyedge.service.reader import Reader
from cosyedge.worker.pool import WorkerPool


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be said and how; None stands for the configuration's."""

    text: str
    voice: str | None = None
    lang: str | None = None
    speed: float | None = None


def find_voice(settings: Settings, name: str | None) -> FoundVoice:
    """Find a voice that can speak. Raises EngineFailure: unknown_voice, model_missing, ..."""
    wanted = name or settings.engine.voice
    shelf = find_voices(search_order(settings.paths.state_dir))
    if wanted in shelf.faults:
        raise shelf.faults[wanted]
    if wanted not in shelf.voices:
        known = ", ".join(sorted(shelf.voices)) or "none at all"
        raise EngineFailure("unknown_voice", f"there is no voice {wanted!r}; there is {known}")
    return shelf.voices[wanted]


@asynccontextmanager
async def own_pool(settings: Settings, found: FoundVoice) -> AsyncIterator[WorkerPool]:
    """Run a worker for one voice; it is ended on leaving."""
    name = found.voice.name
    alone = replace(translate.pool_settings(settings), default_voice=name, total_cap_bytes=None)
    pool = WorkerPool({name: found.voice}, {name: found.folder}, alone, rss_of=rss_bytes)
    await pool.start()
    try:
        yield pool
    finally:
        await pool.stop()


async def speak(settings: Settings, wish: Wish) -> Speech:
    """Read, synthesize and join a text. Raises Refusal and EngineFailure."""
    found = find_voice(settings, wish.voice)
    name = found.voice.name
    reader = Reader(
        {name: found.voice},
        translate.reading_options(settings),
        default_voice=name,
        quality={"tier": settings.engine.quality},
    )
    reading = await reader.read(wish.text, lang=wish.lang, markup=settings.text.markup)
    choice = VoiceChoice(speed=wish.speed or settings.engine.speed)
    requests = [reader.request(utterance, choice) for utterance in reading.utterances]
    async with own_pool(settings, found) as pool:
        deadline_s = settings.engine.deadline_max_s * len(requests)
        stream = pool.synthesize(requests, deadline_s=deadline_s)
        made = {index: speech async for index, speech in stream}
    return _join(reading.utterances, [made[index] for index in range(len(requests))])


async def working_player(settings: Settings) -> PlayerOutput:
    """Find the first configured player, else the default device.

    Raises OutputFailure where no sound device works.
    """
    players = (each for each in settings.outputs.values() if each.kind == "player")
    configured = next(players, None) or PlayerOutputSettings()
    output = PlayerOutput("player", PlayerSettings(**configured.model_dump(exclude={"kind"})))
    if await output.probe() is not None:
        raise OutputFailure(
            "device_missing", "no sound device works here; write a file with -o, or see doctor"
        )
    return output


async def speak_aloud(settings: Settings, wish: Wish) -> Speech:
    """Speak on the sound device and return once it has sounded."""
    output = await working_player(settings)
    speech = await speak(settings, wish)
    session = await output.open(Programme("say", "say", parts=1, expires_at=math.inf))
    await session.write(speech, last=True)
    await session.drain()
    return speech


def _join(utterances: tuple[Utterance, ...], parts: list[Speech]) -> Speech:
    """Put the sentences behind each other, with the pauses that the text asks for."""
    rate_hz = parts[0].rate_hz
    pieces = []
    for utterance, part in zip(utterances, parts, strict=True):
        pieces += [np.zeros(int(utterance.pause_before_s * rate_hz), np.float32), part.samples]
    return Speech(np.concatenate(pieces), rate_hz)  # (frames,)
