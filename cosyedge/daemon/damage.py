"""The journal's damage as a fault that stands until somebody has acknowledged it."""

import logging
from typing import Final, Protocol

from cosyedge.service.ports import FaultLog

log = logging.getLogger(__name__)

NAME: Final = "journal"


class DamagedLog(FaultLog, Protocol):
    """A journal that says what it found when it was opened."""

    @property
    def damage(self) -> str | None: ...
    @property
    def torn(self) -> bool: ...


class JournalDamage:
    """What was found at the start is over at once: it is shown until it was seen."""

    def __init__(self, journal: DamagedLog) -> None:
        self._journal = journal
        self._raised = False
        self._acknowledged = False

    def code(self) -> str | None:
        """The fault's code while it stands; asked again and again."""
        if self._acknowledged or not (self._journal.damage or self._journal.torn):
            return None
        if not self._raised:
            self._raised = True
            self._log()
            return "corrupt"
        self._acknowledged = any(
            fault.name == NAME and fault.cleared_at is None and fault.acked_at is not None
            for fault in self._journal.faults()
        )
        return None if self._acknowledged else "corrupt"

    def _log(self) -> None:
        extra = {"COSYEDGE_CODE": "corrupt"}
        if self._journal.damage:
            log.warning("journal moved aside: %s", self._journal.damage, extra=extra)
        else:
            log.warning("journal: the last commit was lost", extra=extra)
