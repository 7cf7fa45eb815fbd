"""doctor's look at the voices: every file against its digest, and one sentence really spoken."""

import time
from collections.abc import AsyncIterator

from cosyedge.adapters.voice_folder import find_voices, search_order
from cosyedge.cli.findings import Finding, bad, failure, ok, warning
from cosyedge.cli.speaking import find_voice, own_pool
from cosyedge.config import Settings
from cosyedge.core.errors import CosyedgeError, EngineFailure
from cosyedge.core.speech import SpeechRequest
from cosyedge.engine.manifest import verified_files

MIB = 1 << 20
PROBES = {
    "en": "Ready.",
    "zh": "准备好了。",
    "yue": "準備好。",
    "ja": "準備完了。",
    "ko": "준비되었습니다.",
}


async def check_voices(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the findings; hashes every file of the voices in use."""
    for name, fault in find_voices(search_order(settings.paths.state_dir)).faults.items():
        if name not in (settings.engine.voice, settings.engine.fallback_voice):
            yield warning(f"voice {name}", f"{fault.code}: {fault}", "mend or remove its folder")
    for name in filter(None, (settings.engine.voice, settings.engine.fallback_voice)):
        yield await _check_voice(settings, name)


async def _check_voice(settings: Settings, name: str) -> Finding:
    about = f"voice {name}"
    try:
        found = find_voice(settings, name)
        files = verified_files(found.voice, found.folder)
        spoken = await _speak(settings, name)
    except CosyedgeError as error:
        return failure(about, error)
    cap_mb = settings.engine.memory_cap_mb
    rss_mb, took_s, duration_s = spoken
    fact = (
        f"{len(files)} kinds of files are what the manifest says; {duration_s:.1f} s of speech in "
        f"{took_s:.2f} s, worker {rss_mb} MB of {cap_mb} MB"
    )
    if rss_mb > cap_mb * 0.85:
        return bad(about, fact, "raise engine.memory_cap_mb, or take a smaller voice")
    return ok(about, fact)


async def _speak(settings: Settings, name: str) -> tuple[int, float, float]:
    """Give the worker's MB, seconds taken and seconds spoken for one short sentence."""
    found = find_voice(settings, name)
    lang = found.voice.languages[0] if found.voice.languages else "en"
    probe = SpeechRequest(PROBES.get(lang, "OK."), lang, name, found.voice.default_speaker)
    async with own_pool(settings, found) as pool:
        began = time.monotonic()
        stream = pool.synthesize([probe], deadline_s=settings.engine.deadline_max_s)
        parts = [speech async for _, speech in stream]
        took_s = time.monotonic() - began
        if not parts:
            raise EngineFailure("bad_audio", "the voice made no sound")
        return pool.rss_bytes() // MIB, took_s, parts[0].duration_s
