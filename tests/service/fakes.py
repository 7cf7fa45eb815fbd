"""Small stand-ins for the ports, each with one behaviour that a test needs."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

import numpy as np

from cosyedge.core.errors import EngineFailure, OutputFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice
from cosyedge.service.ports import CachedSpeech, EngineStatus, Playback, Programme

RATE_HZ = 8_000


def speech(seconds: float = 0.1) -> Speech:
    """A tone."""
    times = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    return Speech((0.3 * np.sin(2 * np.pi * 440 * times)).astype(np.float32), RATE_HZ)


def cached(made: Speech) -> CachedSpeech:
    """Speech with figures that nobody measured."""
    return CachedSpeech(made, peak=0.3, lufs=-20.0)


def voice(name: str, languages: tuple[str, ...] = ("en",)) -> Voice:
    """A voice without files."""
    return Voice(name, "none", f"digest of {name}", RATE_HZ, languages, "none", ())


class ManualClock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return 1_700_000_000.0 + self.now


class MemoryStore:
    """A phrase store in a dictionary."""

    def __init__(self) -> None:
        self.entries: dict[str, CachedSpeech] = {}
        self.pinned: set[str] = set()

    def recall(self, key: str) -> CachedSpeech | None:
        return self.entries.get(key)

    async def fetch(self, key: str) -> CachedSpeech | None:
        return self.entries.get(key)

    async def keep(self, key: str, entry: CachedSpeech, *, pinned: bool = False) -> None:
        self.entries[key] = entry
        if pinned:
            self.pinned.add(key)

    async def pin(self, key: str, *, pinned: bool = True) -> bool:
        self.pinned.add(key)
        return key in self.entries

    async def clear(self, *, pinned: bool = False) -> int:
        gone = len(self.entries)
        self.entries.clear()
        return gone

    def shed(self) -> int:
        return 0

    def stats(self) -> Mapping[str, object]:
        return {}


class ScriptedEngine:
    """Answers each request with the next step of its script: speech, or an error for all."""

    def __init__(self, *script: Exception | float, voices: Sequence[str] = ("hall",)) -> None:
        self.script = list(script)
        self.requests: list[SpeechRequest] = []
        self.calls: list[int] = []
        self.deadlines_s: list[float] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.cancelled = 0
        self.fault: str | None = None
        self._voices = {name: voice(name) for name in voices}

    @property
    def voices(self) -> Mapping[str, Voice]:
        return self._voices

    def set_voice(self, voice: Voice) -> None:
        self._voices[voice.name] = voice

    async def synthesize(
        self,
        requests: Sequence[SpeechRequest],
        *,
        deadline_s: float,
        priority: int = 0,
        preempt: bool = False,
    ) -> AsyncGenerator[tuple[int, Speech], None]:
        self.requests += requests
        self.calls.append(len(requests))
        self.deadlines_s.append(deadline_s)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        for index in range(len(requests)):
            step = self.script.pop(0) if self.script else 0.1
            if isinstance(step, Exception):
                raise step
            yield index, speech(step)

    async def ping(self, timeout_s: float) -> float:
        return 0.0

    def status(self) -> EngineStatus:
        return EngineStatus("failed" if self.fault else "ready", fault=self.fault)


class RecordingSession:
    """Takes parts; fails with ``code`` from part ``fails_at`` on; waits at ``gate``."""

    def __init__(self, output: "RecordingOutput", programme: Programme) -> None:
        self.playback = Playback()
        self.programme = programme
        self._output = output

    async def write(self, speech: Speech, *, last: bool) -> None:
        await self._output.gate.wait()
        if self._output.fails_at is not None and len(self._output.parts) >= self._output.fails_at:
            raise OutputFailure(self._output.code, "as the test wants it")
        self.playback.begin(1_000.0)
        self._output.parts.append(speech)

    async def drain(self) -> None:
        await self._output.gate.wait()

    async def stop(self, fade_s: float) -> None:
        self._output.stopped += 1

    async def hold(self, paused: bool) -> None:
        self._output.holds.append(paused)


class RecordingOutput:
    """Keeps what it was given."""

    def __init__(
        self, name: str, *, fails_at: int | None = None, code: str = "device_lost"
    ) -> None:
        self.name = name
        self.fails_at = fails_at
        self.code = code
        self.parts: list[Speech] = []
        self.stopped = 0
        self.holds: list[bool] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def open(self, programme: Programme) -> RecordingSession:
        return RecordingSession(self, programme)

    async def probe(self) -> str | None:
        return None


def crash(code: str = "engine_crashed") -> EngineFailure:
    """A failure of the engine."""
    return EngineFailure(code, "as the test wants it")
