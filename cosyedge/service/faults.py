"""Latched faults: raised once, cleared by themselves, kept until somebody acknowledges them."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from cosyedge.core.codes import CODES
from cosyedge.core.events import Event, EventType
from cosyedge.service.ports import FaultLog, KeptFault

log = logging.getLogger(__name__)

Spawn = Callable[[Coroutine[Any, Any, Any], str], Any]


class Faults:
    """What is wrong now. A fault that stays is told once; so is its end."""

    def __init__(self, record: FaultLog, *, spawn: Spawn, tell: Callable[[Event], None]) -> None:
        """``record`` keeps them; ``spawn`` runs its writing in the background."""
        self._record = record
        self._spawn = spawn
        self._tell = tell
        self._active: dict[str, str] = {}

    def report(self, name: str, code: str | None, message: str = "") -> None:
        """Raise, change or (with None) clear the fault ``name``: broker, output.hall, engine."""
        known = self._active.get(name)
        if known == code:
            return
        if known is not None:
            del self._active[name]
            self._spawn(self._record.clear_fault(name, known), f"clear fault {name}")
            log.info("fault cleared: %s", name, extra=_fields(name, known))
            self._tell(Event(EventType.FAULT_CLEARED, name, known))
        if code is not None:
            self._active[name] = code
            message = message or CODES[code].meaning
            self._spawn(self._record.raise_fault(name, code, message), f"raise fault {name}")
            log.warning("fault raised: %s: %s", name, message, extra=_fields(name, code))
            details = {"message": message}
            self._tell(Event(EventType.FAULT_RAISED, name, code, details=details))

    async def acknowledge(self, id: int | None) -> int:
        """Acknowledge one kept fault, or all; returns how many."""
        return len(await self._record.ack_faults(id))

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
