"""The output kind ``mqtt``: clips on ``<base>/<node>/audio/<zone>/<id>``."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from cosyedge.adapters.mqtt_clips import (
    ENVELOPE_BYTES,
    PROFILES,
    Clip,
    ClipWish,
    Encode,
    make_clips,
)
from cosyedge.adapters.mqtt_pace import Pace
from cosyedge.core.errors import OutputFailure
from cosyedge.core.speech import Speech
from cosyedge.service.ports import Broker, Outgoing, Playback, Programme
from cosyedge.wire.topics import Topics

# The next part leaves so long before the end of the one that sounds.
LOOKAHEAD_S: Final = 0.5
STOP_DEADLINE_S: Final = 0.5
# A session that just came up is proved by its first canary within milliseconds.
GRACE_S: Final = 2.0
PATIENCE_S: Final = 10.0
SLOWEST_BYTES_PER_S: Final = 16_000
LATER_EXPIRY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class MqttOutputSettings:
    """``format``, ``rate_hz`` and ``chunk_bytes`` override the profile's."""

    profile: Literal["lan", "esp32", "cloud"] = "lan"
    format: str | None = None
    rate_hz: int | None = None
    chunk_bytes: int | None = None
    pace: Literal["realtime", "none"] = "realtime"


class MqttOutput:
    """Satisfies :class:`cosyedge.service.ports.Output`."""

    def __init__(
        self,
        name: str,
        settings: MqttOutputSettings,
        broker: Broker,
        topics: Topics,
        encode: Encode,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self._settings = settings
        self._profile = PROFILES[settings.profile]
        self._broker = broker
        self._topics = topics
        self._encode = encode
        self._monotonic = monotonic
        self._was_down = False

    async def open(self, programme: Programme) -> "MqttOutputSession":
        """Begin a programme. Raises OutputFailure("broker_unavailable") while offline.

        The first one of an outage waits 2 s for the broker, those behind it do not: a zone may
        have a loudspeaker beside us that is to be heard.
        """
        patience_s = 0.0 if self._was_down else GRACE_S
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while not self._broker.connected:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)  # the port has no event for it
        self._was_down = not self._broker.connected
        if self._was_down:
            raise OutputFailure("broker_unavailable", "not connected to the broker")
        wish = self._wish(programme)
        pace = Pace(self._profile, realtime=self._settings.pace == "realtime", now=self._monotonic)
        sender = Sender(programme, self._broker, self._topics, self._profile.qos, self._monotonic)
        return MqttOutputSession(programme, wish, pace, sender, self._encode)

    async def probe(self) -> str | None:
        """None while connected."""
        return None if self._broker.connected else "broker_unavailable"

    def _wish(self, programme: Programme) -> ClipWish:
        profile, settings = self._profile, self._settings
        limits = [self._broker.max_packet_bytes - ENVELOPE_BYTES]
        if profile.clip_bytes is not None:
            limits.append(profile.clip_bytes)
        return ClipWish(
            format=programme.format or settings.format or profile.format,
            rate_hz=programme.rate_hz or settings.rate_hz or profile.rate_hz,
            clip_bytes=max(0, min(limits)),
            chunk_bytes=programme.chunk_bytes or settings.chunk_bytes or profile.chunk_bytes,
            may_transcode=programme.format is None,
        )


class Sender:
    """Publishes what belongs to one programme, under its topics."""

    def __init__(
        self,
        programme: Programme,
        broker: Broker,
        topics: Topics,
        qos: int,
        monotonic: Callable[[], float],
    ) -> None:
        self._programme = programme
        self._broker = broker
        self._topics = topics
        self._qos = qos
        self._monotonic = monotonic

    async def whole(self, clip: Clip) -> None:
        """The only clip of a programme."""
        await self._publish(self._clip(clip, None, seq=1, last=True), first=True)

    async def piece(self, clip: Clip, *, seq: int, last: bool) -> None:
        """One of several; ``start`` goes before the first."""
        message = self._clip(clip, seq, seq=seq, last=last)
        if seq > 1:
            await self._publish(message)
            return
        start = {
            "id": self._programme.id,
            "zone": self._programme.zone,
            "parts": self._programme.parts,
            "format": clip.format,
            "content_type": clip.content_type,
            "rate": clip.rate_hz,
            "channels": 1,
        }
        await asyncio.gather(
            self._publish(self._word("start", start), first=True),
            self._publish(message, first=True),
        )

    async def end(self, pieces: int, duration_s: float) -> None:
        """No further piece comes."""
        end = {
            "id": self._programme.id,
            "pieces": pieces,
            "duration_ms": round(duration_s * 1000),
        }
        await self._publish(self._word("end", end))

    async def stop(self) -> None:
        """Tell players to be silent, now or not at all."""
        message = self._word("stop", {"id": self._programme.id})
        with contextlib.suppress(OutputFailure):
            await self._broker.publish(message, deadline_s=STOP_DEADLINE_S)

    def _clip(self, clip: Clip, part: int | None, *, seq: int, last: bool) -> Outgoing:
        return Outgoing(
            self._topics.audio(self._programme.zone, self._programme.id, part),
            clip.payload,
            qos=self._qos,
            content_type=clip.content_type,
            properties=(
                ("id", self._programme.id),
                ("rate", str(clip.rate_hz)),
                ("channels", "1"),
                ("seq", str(seq)),
                ("last", "true" if last else "false"),
                ("duration_ms", str(round(clip.duration_s * 1000))),
            ),
        )

    def _word(self, part: str, payload: dict[str, Any]) -> Outgoing:
        return Outgoing(
            self._topics.audio(self._programme.zone, self._programme.id, part),
            json.dumps(payload, separators=(",", ":")).encode(),
            content_type="application/json",
        )

    async def _publish(self, message: Outgoing, *, first: bool = False) -> None:
        """The first sound never leaves after the time to live, nor lies in the broker so long."""
        left_s = self._programme.expires_at - self._monotonic()
        if first and left_s <= 0:
            raise OutputFailure("expired", "the time to live ran out before the first sound")
        expiry_s = left_s if first else max(left_s, LATER_EXPIRY_S)
        patience_s = PATIENCE_S + len(message.payload) / SLOWEST_BYTES_PER_S
        await self._broker.publish(
            Outgoing(
                message.topic,
                message.payload,
                qos=message.qos,
                expiry_s=expiry_s,
                content_type=message.content_type,
                properties=message.properties,
            ),
            deadline_s=min(patience_s, left_s) if first else patience_s,
        )


class MqttOutputSession:
    """Satisfies :class:`cosyedge.service.ports.OutputSession`."""

    def __init__(
        self, programme: Programme, wish: ClipWish, pace: Pace, sender: Sender, encode: Encode
    ) -> None:
        self.playback = Playback()
        self._programme = programme
        self._wish = wish
        self._pace = pace
        self._sender = sender
        self._encode = encode
        self._pieces = 0
        self._sent_s = 0.0

    async def write(self, speech: Speech, *, last: bool) -> None:
        """Publish one part; returns at its PUBACK, or shortly before its sound ends where more
        is to come and the pace is real time. Raises OutputFailure."""
        clips = await make_clips(speech, self._wish, self._encode)
        alone = self._programme.parts == 1 and len(clips) == 1 and self._wish.chunk_bytes is None
        for index, clip in enumerate(clips):
            if self._wish.chunk_bytes is not None:
                await self._pace.until_due(self._sent_s)
            if self._pace.is_stopped:
                return
            begun = self._pace.now()
            if alone:
                await self._sender.whole(clip)
            else:
                self._pieces += 1
                await self._sender.piece(
                    clip, seq=self._pieces, last=last and index == len(clips) - 1
                )
            self._note(clip, begun)
        if last and not alone:
            await self._sender.end(self._pieces, self._sent_s)
        if not last:
            await self._pace.until_silent(LOOKAHEAD_S)

    async def drain(self) -> None:
        """Return when the last sample has sounded; at once where there is no pace."""
        await self._pace.until_silent(0.0)
        self.playback.played_s = self._pace.played_s(self._sent_s)

    async def stop(self, fade_s: float) -> None:  # noqa: ARG002 - players fade by themselves
        """Cut it: what was sent is to be silenced by the player."""
        self.playback.played_s = self._pace.played_s(self._sent_s)
        was_stopped = self._pace.is_stopped
        self._pace.stop()
        if self._sent_s and not was_stopped:
            await self._sender.stop()

    async def hold(self, paused: bool) -> None:
        """Send nothing more until it goes on; a clip that was sent whole plays to its end."""
        self._pace.hold(paused=paused)

    def _note(self, clip: Clip, begun: float) -> None:
        self._sent_s += clip.duration_s
        self._pace.sent(begun, clip.duration_s)
        self.playback.begin(begun)
        self.playback.played_s = self._pace.played_s(self._sent_s)
        self.playback.details["format"] = clip.format
