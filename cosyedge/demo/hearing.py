"""What a listener hears of one announcement: its events, its clips, and when each came."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cosyedge.adapters.encoding import decode
from cosyedge.core.errors import OutputFailure
from cosyedge.core.speech import Speech
from cosyedge.service.ports import Message

ENDS = {"finished", "partial", "failed", "expired", "cancelled", "suppressed", "rejected"}
_MARKERS = {"start", "end", "stop"}


@dataclass(slots=True)
class Hearing:
    """One announcement as it is heard; moments are seconds of one clock."""

    id: str
    sent_at: float
    accepted_at: float | None = None
    first_audio_at: float | None = None
    ended_at: float | None = None
    end: dict[str, Any] = field(default_factory=dict)
    clips: list[bytes] = field(default_factory=list)

    def hear(self, message: Message, now: float) -> bool:
        """Take a message in; True once the announcement has ended."""
        levels = message.topic.split("/")
        if levels[-1] == "event":
            self._hear_event(json.loads(message.payload), now)
        elif "audio" in levels and self.id in levels and levels[-1] not in _MARKERS:
            self.first_audio_at = self.first_audio_at or now
            self.clips.append(message.payload)
        return self.ended_at is not None

    def _hear_event(self, event: dict[str, Any], now: float) -> None:
        if event.get("id") != self.id:
            return
        if event["event_type"] == "accepted":
            self.accepted_at = now
        if event["event_type"] in ENDS:
            self.ended_at, self.end = now, event

    @property
    def outcome(self) -> str:
        """The end in words: finished, or what came instead and why."""
        words = [str(self.end.get(key)) for key in ("event_type", "reason", "message")]
        return ": ".join(word for word in words if word != "None") or "no end"

    def speech(self) -> Speech:
        """Join the clips. Raises OutputFailure where none came, StorageFailure for nonsense."""
        parts = [decode(clip) for clip in self.clips]
        if not parts:
            raise OutputFailure("broker_unavailable", f"no audio came: {self.outcome}")
        return Speech(np.concatenate([part.samples for part in parts]), parts[0].rate_hz)
