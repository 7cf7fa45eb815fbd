"""Latched faults: raised once, cleared by themselves, kept until somebody acknowledges them."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cosyedge.core.codes import CODES
from cosyedge.core.events import Event, EventType
from cosyedge.service.ports import Clock, FaultLog

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Fault:
    """A fault by name (``output.hall``, ``engine``, ``broker``, ``disk`` ...) and code."""

    name: str
    code: str
    raised_at: float
    active: bool = True
    acknowledged: bool = False


class Faults:
    """All faults of the node. A fault that stays is told once; so is its end."""

    def __init__(
        self, clock: Clock, record: FaultLog, *, tell: Callable[[Event, None], None]
    ) -> None:
        """``record`` keeps the last 99 over a restart."""
        self._clock = clock
        self._record = record
        self._tell = tell
        self._faults: dict[str, Fault] = {}

    def report(self, name: str, code: str | None) -> None:
        """Raise, change or (with None) clear the fault ``name``."""
        fault = self._faults.get(name)
        if code is None:
            if fault is not None and fault.active:
                self._clear(fault)
            return
        if fault is not None and fault.active and fault.code == code:
            return
        self._faults[name] = Fault(name, code, self._clock.wall())
        self._record.fault_raised(name, code)
        log.warning("fault raised: %s: %s", name, CODES[code].meaning, extra=_fields(name, code))
        self._tell(Event(EventType.FAULT_RAISED, name, code), None)

    def acknowledge(self, name: str | None) -> int:
        """Acknowledge one fault or all; returns how many. Cleared ones are then forgotten."""
        named = [f for f in self._faults.values() if name is None or f.name == name]
        for fault in named:
            fault.acknowledged = True
            if not fault.active:
                del self._faults[fault.name]
        self._record.fault_acknowledged(name)
        return len(named)

    def active(self) -> Mapping[str, str]:
        """Code by name of what is wrong now."""
        return {f.name: f.code for f in self._faults.values() if f.active}

    def latched(self) -> list[Fault]:
        """What is wrong now, or was and nobody has acknowledged it."""
        return [f for f in self._faults.values() if f.active or not f.acknowledged]

    def _clear(self, fault: Fault) -> None:
        fault.active = False
        if fault.acknowledged:
            del self._faults[fault.name]
        self._record.fault_cleared(fault.name)
        log.info("fault cleared: %s", fault.name, extra=_fields(fault.name, fault.code))
        self._tell(Event(EventType.FAULT_CLEARED, fault.name, fault.code), None)


def _fields(name: str, code: str) -> dict[str, str]:
    return {"COSYEDGE_EVENT": "fault", "COSYEDGE_CODE": code, "COSYEDGE_FAULT": name}
