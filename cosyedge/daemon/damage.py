"""The journal's damage as a fault that stands until somebody has acknowledged it."""

import logging
from typing import Final, Protocol

from cosyedge.service.ports import FaultLog

log = logging.getLogger(__name__)

NAME: Final = "journal"


class DamagedLog(FaultLog, Protocol):
    """A journal that says what it found when it was opened, and since."""

    @property
    def damage(self) -> str | None: ...
    @property
    def torn(self) -> bool: ...
    @property
    def spoiled(self) -> bool: ...


class JournalDamage:
    """What was found is over at once: it is shown until it was seen, and again for more."""

    def __init__(self, journal: DamagedLog) -> None:
        self._journal = journal
        self._told: tuple[str | None, bool, bool] = (None, False, False)
        self._acknowledged = True

    def code(self) -> str | None:
        """The fault's code while it stands; asked again and again."""
        found = (self._journal.damage, self._journal.torn, self._journal.spoiled)
        if found != self._told:
            self._told = found
            self._acknowledged = not any(found)
            self._log()
            return None if self._acknowledged else "corrupt"
        if self._acknowledged:
            return None
        self._acknowledged = any(
            fault.name == NAME and fault.cleared_at is None and fault.acked_at is not None
            for fault in self._journal.faults()
        )
        return None if self._acknowledged else "corrupt"

    def _log(self) -> None:
        extra = {"COSYEDGE_CODE": "corrupt"}
        if self._journal.spoiled:
            log.warning("journal: a row was damaged while we ran", extra=extra)
        elif self._journal.damage:
            log.warning("journal moved aside: %s", self._journal.damage, extra=extra)
        elif self._journal.torn:
            log.warning("journal: the last commit was lost", extra=extra)
