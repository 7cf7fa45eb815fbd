"""Latched faults: raised once, cleared by themselves, kept until somebody acknowledges them."""

import logging
from collections.abc import Callable, Mapping

from cosyedge.core.codes import CODES
from cosyedge.core.events import Event, EventType
from cosyedge.service.ports import FaultLog, KeptFault

log = logging.getLogger(__name__)


class Faults:
    """What is wrong now. A fault that stays is told once; so is its end."""

    def __init__(self, record: FaultLog, *, tell: Callable[[Event], None]) -> None:
        """``record`` keeps them over a restart."""
        self._record = record
        self._tell = tell
        self._active: dict[str, str] = {}

    def report(self, name: str, code: str | None, message: str = "") -> None:
        """Raise, change or (with None) clear the fault ``name``: broker, output.hall, engine."""
        known = self._active.get(name)
        if known == code:
            return
        if known is not None:
            del self._active[name]
            self._record.fault_cleared(name)
            log.info("fault cleared: %s", name, extra=_fields(name, known))
            self._tell(Event(EventType.FAULT_CLEARED, name, known))
        if code is not None:
            self._active[name] = code
            message = message or CODES[code].meaning
            self._record.fault_raised(name, code)
            log.warning("fault raised: %s: %s", name, message, extra=_fields(name, code))
            details = {"message": message}
            self._tell(Event(EventType.FAULT_RAISED, name, code, details=details))

    def acknowledge(self, name: str | None) -> int:
        """Acknowledge the faults of one name, or all; returns how many were latched."""
        latched = [fault for fault in self.latched() if name in (None, fault.name)]
        self._record.fault_acknowledged(name)
        return len(latched)

    def active(self) -> Mapping[str, str]:
        """Code by name of what is wrong now."""
        return dict(self._active)

    def kept(self) -> list[KeptFault]:
        """The last 99, newest first."""
        return list(self._record.faults())

    def latched(self) -> list[KeptFault]:
        """Those that nobody has acknowledged."""
        return [fault for fault in self._record.faults() if fault.acked_at is None]


def _fields(name: str, code: str) -> dict[str, str]:
    return {"COSYEDGE_EVENT": "fault", "COSYEDGE_CODE": code, "COSYEDGE_FAULT": name}
