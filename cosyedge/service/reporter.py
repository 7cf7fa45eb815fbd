"""The reporter: the retained topics info, state, health and the twins of settings."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cosyedge.service.live import KINDS, LiveSettings
from cosyedge.service.ports import Outgoing
from cosyedge.wire.topics import Topics

HEALTH_PERIOD_S = 30.0
#: States come in bursts: the last one within this time is told.
STATE_GAP_S = 0.25

Picture = Callable[[], Mapping[str, Any]]


class Reporter:
    """Publishes pictures of the node; each is drawn when it is sent, so it is never old."""

    def __init__(
        self,
        topics: Topics,
        live: LiveSettings,
        *,
        send: Callable[[Outgoing], None],
        info: Picture,
        state: Picture,
        health: Picture,
        zones: Iterable[str],
        health_period_s: float = HEALTH_PERIOD_S,
    ) -> None:
        self._topics = topics
        self._live = live
        self._send = send
        self._info = info
        self._state = state
        self._health = health
        self._zones = tuple(zones)
        self._health_period_s = health_period_s
        self._changed = asyncio.Event()
        self._last_state: bytes = b""

    def changed(self) -> None:
        """Say that the state is not what it was."""
        self._changed.set()

    def at_once(self) -> None:
        """Publish the state now: nobody runs the loop that would."""
        self._tell_state()

    def everything(self) -> None:
        """Publish all retained topics again: after a connection, or Home Assistant's birth."""
        self._retain("info", self._info())
        self._last_state = b""
        self._tell_state()
        self._retain("health", self._health())
        for zone in (None, *self._zones):
            for name in KINDS:
                if self._live.own(zone, name) is not None:
                    self.setting(zone, name)

    def setting(self, zone: str | None, name: str) -> None:
        """Publish the twin of a setting; an empty message where it is not set."""
        value = self._live.own(zone, name)
        self._send(Outgoing(self._topics.state(name, zone), _word(value), retain=True))

    async def run_state(self) -> None:
        """Publish the state when it changed, until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            self._tell_state()
            await asyncio.sleep(STATE_GAP_S)

    async def run_health(self) -> None:
        """Publish the health periodically, until cancelled."""
        while True:
            await asyncio.sleep(self._health_period_s)
            self._retain("health", self._health())

    def _tell_state(self) -> None:
        payload = _json(self._state())
        if payload != self._last_state:
            self._last_state = payload
            self._send(self._retained("state", payload))

    def _retain(self, path: str, picture: Mapping[str, Any]) -> None:
        self._send(self._retained(path, _json(picture)))

    def _retained(self, path: str, payload: bytes) -> Outgoing:
        return Outgoing(
            self._topics.of(path), payload, retain=True, content_type="application/json"
        )


def _json(picture: Mapping[str, Any]) -> bytes:
    return json.dumps(picture, separators=(",", ":"), allow_nan=False).encode()


def _word(value: object) -> bytes:
    if value is None:
        return b""
    if isinstance(value, bool):
        return b"ON" if value else b"OFF"
    return str(value).encode()
