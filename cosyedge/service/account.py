"""The account of a performance: what the last event tells of timing, sound and the cache."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cosyedge.core.announcement import Announcement
from cosyedge.service.phrasebook import Found


@dataclass(slots=True)
class Account:
    """What happened, for the event. Times are monotonic seconds."""

    began_at: float
    first_audio_at: float | None = None
    synth_ms: float = 0.0
    audio_s: float = 0.0
    rate_hz: int = 0
    peak: float = 0.0
    lufs: float | None = None
    cached_parts: int = 0
    parts: int = 0
    degraded: str | None = None
    reason: str | None = None
    remarks: list[str] = field(default_factory=list)
    outputs_failed: dict[str, str] = field(default_factory=dict)

    def add(self, found: Found) -> None:
        """Count one part."""
        self.parts += 1
        self.cached_parts += found.cached
        self.synth_ms += found.synth_ms
        self.audio_s += found.entry.speech.duration_s
        self.rate_hz = found.entry.speech.rate_hz
        self.peak = max(self.peak, found.entry.peak)
        self.lufs = found.entry.lufs if self.lufs is None else max(self.lufs, found.entry.lufs)
        self.degraded = found.degraded or self.degraded
        self.reason = found.reason or self.reason
        if not found.cached:
            self.remarks += found.entry.speech.remarks


def summarize(
    announcement: Announcement, accounts: Sequence[Account], now: float
) -> dict[str, Any]:
    """What an event says beyond its type: cached, degraded, timings (ms), audio, warnings."""
    details: dict[str, Any] = {"class": announcement.class_name}
    if announcement.capped_by:
        details["capped_by"] = list(announcement.capped_by)
    remarks = [remark for account in accounts for remark in account.remarks]
    if announcement.warnings or remarks:
        details["warnings"] = list(dict.fromkeys([*announcement.warnings, *remarks]))
    if announcement.debug and not accounts:
        details["debug"] = list(announcement.debug)
    if announcement.replay_of:
        details["replay_of"] = announcement.replay_of
    heard = [account for account in accounts if account.parts]
    if heard:
        details |= _of_sound(announcement, heard, now)
    return details


def _of_sound(announcement: Announcement, heard: Sequence[Account], now: float) -> dict[str, Any]:
    longest = max(heard, key=lambda account: account.audio_s)
    details: dict[str, Any] = {
        "cached": all(account.cached_parts == account.parts for account in heard),
        "audio": {
            "duration_ms": round(1e3 * longest.audio_s),
            "rate": longest.rate_hz,
            "peak_dbtp": _db(longest.peak),
            "lufs": None if longest.lufs is None else round(longest.lufs, 1),
        },
        "timings": {
            "queue_ms": _ms(min(a.began_at for a in heard) - announcement.received_at),
            "synth_ms": round(max(account.synth_ms for account in heard), 1),
        },
    }
    begun = [account.first_audio_at for account in heard if account.first_audio_at is not None]
    if begun:
        details["timings"]["first_audio_ms"] = _ms(min(begun) - announcement.received_at)
        details["timings"]["play_ms"] = _ms(now - min(begun))
    degraded = next((account for account in heard if account.degraded), None)
    if degraded is not None:
        details["degraded"] = degraded.degraded
        if degraded.reason is not None:
            details["degraded_reason"] = degraded.reason
    return details


def _ms(seconds: float) -> float:
    return round(1e3 * seconds, 2)


def _db(peak: float) -> float | None:
    return round(20 * math.log10(peak), 1) if peak > 0 else None
