"""[paths]: where state, cache and recordings live."""

import os
from pathlib import Path

from pydantic import Field

from cosyedge.config.base import Section


def _directory(systemd_variable: str, xdg_variable: str, under_home: str) -> Path:
    """Take the unit's directory, else the XDG one of an unprivileged user."""
    given = os.environ.get(systemd_variable, "").split(":")[0]
    if given:
        return Path(given)
    xdg = os.environ.get(xdg_variable, "")
    root = Path(xdg) if xdg.startswith("/") else Path.home() / under_home
    return root / "cosyedge"


def _state_dir() -> Path:
    return _directory("STATE_DIRECTORY", "XDG_STATE_HOME", ".local/state")


def _cache_dir() -> Path:
    return _directory("CACHE_DIRECTORY", "XDG_CACHE_HOME", ".cache")


class PathsSettings(Section):
    """Directories that the daemon writes to, and one that it reads."""

    state_dir: Path = Field(
        default_factory=_state_dir,
        description="Journal, settings and voices of one's own. "
        "Default: $STATE_DIRECTORY, else ~/.local/state/cosyedge.",
        examples=["/var/lib/cosyedge"],
    )
    cache_dir: Path = Field(
        default_factory=_cache_dir,
        description="Phrases on disk. Default: $CACHE_DIRECTORY, else ~/.cache/cosyedge.",
        examples=["/var/cache/cosyedge"],
    )
    recordings_dir: Path | None = Field(
        None,
        description="Recorded messages (WAV, FLAC, MP3, Opus), played by file name. "
        "Default: recordings under state_dir.",
        examples=["/var/lib/cosyedge/recordings"],
    )

    @property
    def recordings(self) -> Path:
        """The directory of recorded messages."""
        return self.recordings_dir or self.state_dir / "recordings"
