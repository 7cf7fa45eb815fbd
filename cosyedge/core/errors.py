"""One tree of errors; each carries a stable code that events, logs and documentation share.

::

    CosyedgeError
    ├── Refusal          a message that will not be spoken; the sender reads why
    ├── EngineFailure    a synthesis that gave no usable speech; the ladder goes on below it
    │   └── Cancelled    a synthesis that gave way to a higher class: no fault of the engine
    ├── OutputFailure    a device or a broker that did not take a clip; the zone is at fault
    ├── StorageFailure   a disk that did not keep a row or an entry; goes on from memory
    └── SettingsError    a configuration or a command line that cannot be used

The codes and what to do about each stand in :mod:`cosyedge.core.codes`.
"""

from cosyedge.core.codes import CODES


class CosyedgeError(Exception):
    """Any failure that cosyedge names; ``code`` is one of :data:`cosyedge.core.codes.CODES`."""

    def __init__(self, code: str, message: str, *, field: str | None = None) -> None:
        if code not in CODES:
            raise LookupError(f"unlisted code {code!r}")
        super().__init__(message)
        self.code = code
        self.field = field


class Refusal(CosyedgeError):
    """A message that is refused before acceptance; ``field`` names the key at fault, if one is."""


class EngineFailure(CosyedgeError):
    """A synthesis that failed: the engine died, ran out of memory or time, or made bad audio."""


class Cancelled(EngineFailure):
    """A synthesis that was told to stop."""

    def __init__(self, message: str = "the synthesis was cancelled") -> None:
        super().__init__("synthesis_cancelled", message)


class OutputFailure(CosyedgeError):
    """An output that did not take the clip, or stopped in the middle of it."""


class StorageFailure(CosyedgeError):
    """A disk that is full, read-only or broken."""


class SettingsError(CosyedgeError):
    """A configuration that cannot be used; ``field`` names the key."""
