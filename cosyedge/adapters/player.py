"""The output kind ``player``: a sound device, reached through a program that reads raw PCM."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cosyedge.adapters.player_command import PlayerCommand, installed_players, needs_own_rate
from cosyedge.adapters.player_process import PlayerProcess
from cosyedge.adapters.player_session import PlayerSession, SessionSettings
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Programme

_PROBE_RATE_HZ: Final = 48_000
# A sound server may need 2 s to report the end of nothing (measured: PulseAudio, null sink).
_PROBE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """How a device is reached.

    ``argv`` may hold {rate}, {device}, {buffer_ms}, {buffer_us}; empty: the first of the
    installed players that works. ``rate_hz``: None for each programme's own. ``buffer_ms``
    bounds what a cut can no longer reach. ``keep_awake`` lays a very low tone under it all.
    """

    argv: tuple[str, ...] = ()
    device: str | None = None
    rate_hz: int | None = None
    lead_in_s: float = 0.0
    keep_awake: bool = False
    buffer_ms: int = 100
    stuck_s: float = 1.0


class PlayerOutput:
    """Satisfies service.ports.Output."""

    def __init__(
        self,
        name: str,
        settings: PlayerSettings,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start nothing yet; without an argv, ``probe`` finds the player."""
        self.name = name
        self._settings = settings
        self._monotonic = monotonic
        argv = settings.argv
        self._command = self._of_settings(argv) if argv else None
        self._fault: str | None = None
        self._session: PlayerSession | None = None

    @property
    def player(self) -> str | None:
        """The program that is used, once that is known."""
        return self._command.argv[0] if self._command else None

    async def open(self, programme: Programme) -> PlayerSession:  # noqa: ARG002 - the port's
        """Begin a programme; the player starts with the first part, whose rate it takes.

        Raises OutputFailure at once with what the last probe told where no player works.
        """
        if self._command is None and self._fault is None:
            await self.probe()
        if self._command is None:
            raise OutputFailure(self._fault or "device_missing", f"{self.name}: no player works")
        settings = self._settings
        own_hz = _PROBE_RATE_HZ if needs_own_rate(settings.device) else None
        wanted = SessionSettings(
            rate_hz=settings.rate_hz or own_hz,
            lead_in_s=settings.lead_in_s,
            keep_awake=settings.keep_awake,
            stuck_s=settings.stuck_s,
        )
        self._session = PlayerSession(self._command, wanted, self._monotonic)
        return self._session

    async def probe(self) -> str | None:
        """None when the device opens, else device_missing, device_busy or device_stuck.

        Runs the player on an empty input, which makes no sound; while a programme sounds there
        is nothing to try.
        """
        if self._session is not None and self._session.is_sounding:
            return None
        self._fault = "device_missing"
        for command in self._candidates():
            self._fault = await self._try(command)
            if self._fault is None:
                self._command = command
                break
        return self._fault

    def _candidates(self) -> Sequence[PlayerCommand]:
        settings = self._settings
        if settings.argv:
            return [self._of_settings(settings.argv)]
        return installed_players(settings.device, settings.buffer_ms)

    def _of_settings(self, argv: tuple[str, ...]) -> PlayerCommand:
        return PlayerCommand(argv, self._settings.device, self._settings.buffer_ms)

    async def _try(self, command: PlayerCommand) -> str | None:
        argv = command.at_rate(self._settings.rate_hz or _PROBE_RATE_HZ)
        try:
            process = await PlayerProcess.start(argv, 4096)
        except OutputFailure as error:
            return error.code
        try:
            process.close_input()
            if not await process.ended(_PROBE_S):
                return "device_stuck"
            return (await process.failure()).code if process.failed else None
        finally:
            await asyncio.shield(process.end())
