"""The ways out of a zone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from cosyedge.core.speech import Speech


@dataclass(frozen=True, slots=True)
class Programme:
    """What an output learns before the first clip."""

    id: str
    zone: str
    parts: int
    expires_at: float
    format: str | None = None
    rate_hz: int | None = None
    chunk_bytes: int | None = None
    urgent: bool = False


@dataclass(slots=True)
class Playback:
    """What an output reports about one programme, filled in as it happens (monotonic s)."""

    first_audio_at: float | None = None
    played_s: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)
    on_first_audio: Callable[[float], None] | None = None

    def begin(self, at: float) -> None:
        """Note the moment of the first sample, in the middle of its write; once."""
        if self.first_audio_at is None:
            self.first_audio_at = at
            if self.on_first_audio is not None:
                self.on_first_audio(at)


class OutputSession(Protocol):
    """One announcement on one output."""

    playback: Playback

    async def write(self, speech: Speech, *, last: bool) -> None:
        """Hand over one shaped part; returns when the next may come. Raises OutputFailure."""
        ...

    async def drain(self) -> None:
        """Return when the last sample has sounded (or was acknowledged)."""
        ...

    async def stop(self, fade_s: float) -> None:
        """Cut it, fading over at most ``fade_s``; never raises."""
        ...

    async def hold(self, paused: bool) -> None:
        """Pause or go on in the middle of a part."""
        ...


class Output(Protocol):
    """A way out of a zone: a player, the broker, a file."""

    name: str

    async def open(self, programme: Programme) -> OutputSession:
        """Begin a programme. Raises OutputFailure."""
        ...

    async def probe(self) -> str | None:
        """None when it works, else the code of its fault; makes no sound."""
        ...
