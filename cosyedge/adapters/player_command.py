"""Command lines of players: programs that sound raw PCM from their standard input."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# aplay --buffer-time and its like bound what a cut can no longer reach. pw-cat reads headless
# samples from "-" up to PipeWire 1.4; its successors want an argv with --raw.
KNOWN_PLAYERS: Mapping[str, tuple[str, ...]] = {
    "aplay": (
        *("aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", "{rate}"),
        *("--buffer-time={buffer_us}", "--device={device}", "-"),
    ),
    "pacat": (
        *("pacat", "--playback", "--raw", "--format=s16le", "--channels=1", "--rate={rate}"),
        *("--latency-msec={buffer_ms}", "--device={device}"),
    ),
    "pw-cat": (
        *("pw-cat", "--playback", "--format=s16", "--channels=1", "--rate={rate}"),
        *("--latency={buffer_ms}ms", "--target={device}", "-"),
    ),
}
_BUSY: Final = re.compile(r"busy|in use", re.IGNORECASE)
_BY_NUMBER: Final = re.compile(r"(plug)?(hw|dmix|sysdefault|front):\d", re.IGNORECASE)
# A player needs none of these, and some are secrets.
_WITHHELD: Final = re.compile(
    r"COSYEDGE_|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET|WATCHDOG_|LISTEN_|LC_|LANG"
)


@dataclass(frozen=True, slots=True)
class PlayerCommand:
    """A command with {rate}, {device}, {buffer_ms} and {buffer_us} still open.

    An argument that names {device} is left out where no device is set.
    """

    argv: tuple[str, ...]
    device: str | None = None
    buffer_ms: int = 100

    def at_rate(self, rate_hz: int) -> tuple[str, ...]:
        """Fill it in for one rate."""
        values = {
            "{rate}": str(rate_hz),
            "{device}": self.device or "",
            "{buffer_ms}": str(self.buffer_ms),
            "{buffer_us}": str(self.buffer_ms * 1000),
        }
        return tuple(
            _filled(argument, values)
            for argument in self.argv
            if self.device or "{device}" not in argument
        )


def installed_players(device: str | None, buffer_ms: int) -> list[PlayerCommand]:
    """The known players that are on the box, the best guess first."""
    return [
        PlayerCommand(argv, device, buffer_ms)
        for program, argv in KNOWN_PLAYERS.items()
        if shutil.which(program)
    ]


def names_card_by_number(device: str | None) -> bool:
    """Tell whether a card is named by its place, which changes when another is plugged in."""
    return device is not None and _BY_NUMBER.match(device) is not None


def needs_own_rate(device: str | None) -> bool:
    """Tell whether a device plays at its own rates only: a raw ``hw`` card takes 24 kHz as
    48 kHz and says so in a warning at most."""
    return device is not None and device.startswith("hw:")


def ended_with_parent(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Have the kernel end the player if the daemon is killed (PR_SET_PDEATHSIG).

    By util-linux's setpriv where it is there: a preexec_fn would fork our threads.
    """
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", *argv) if setpriv else argv


def player_environment() -> dict[str, str]:
    """Our environment without secrets and without a language: its messages are read."""
    kept = {name: value for name, value in os.environ.items() if not _WITHHELD.match(name)}
    return {**kept, "LANG": "C"}


def open_fault(complaint: str) -> str:
    """The code for a player that ended before it took a sample, by its complaint."""
    return "device_busy" if _BUSY.search(complaint) else "device_missing"


def _filled(argument: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        argument = argument.replace(name, value)
    return argument
