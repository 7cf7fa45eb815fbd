"""The watchtower: what looks after the node and shows it: caretaker, vitals, guard, reporter."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from cosyedge.daemon import damage
from cosyedge.daemon.pictures import Pictures
from cosyedge.daemon.plant import BoxMemory, Plant
from cosyedge.daemon.stagecraft import Stagecraft
from cosyedge.service.caretaker import Caretaker
from cosyedge.service.guard import MemoryGuard
from cosyedge.service.live import LiveSettings
from cosyedge.service.postman import Postman
from cosyedge.service.reporter import Reporter
from cosyedge.service.restart import OpenEntry
from cosyedge.service.streak import FailureStreak
from cosyedge.service.timekeeper import Timekeeper
from cosyedge.service.vitals import Vitals

Conditions: TypeAlias = Mapping[str, Callable[[], str | None]]
#: A certificate that is about to end is a fault three times, the last time a day before.
WARNED_DAYS = (14, 3, 1)
DAY_S = 24 * 3600.0


def certificate_fault(expires_at: float | None, wall: float, days: int) -> str | None:
    """The fault's code where the certificate ends within ``days``; times are wall-clock s."""
    if expires_at is None or expires_at - wall > days * DAY_S:
        return None
    return "certificate_expires"


class Watchtower:
    """Watches the parts and publishes what they look like."""

    def __init__(
        self,
        plant: Plant,
        live: LiveSettings,
        stage: Stagecraft,
        keeper: Timekeeper,
        streak: FailureStreak,
        *,
        spawn: Callable[[Coroutine[Any, Any, None], str], object],
    ) -> None:
        """``spawn`` runs short work in the background."""
        self._plant = plant
        self.pictures = Pictures(plant, stage.dispatcher, stage.conductor, stage.faults)
        self.vitals = Vitals(plant.clock, period_s=plant.settings.liveness.progress_s)
        self.guard = MemoryGuard(BoxMemory(), plant.cache)
        self.caretaker = Caretaker(
            self.vitals,
            stage.faults,
            plant.pool,
            plant.outputs,
            plant.notifier,
            plant.clock,
            status=self.pictures.status,
            conditions=self._conditions(keeper, streak),
            probe_period_s=plant.settings.liveness.probe_interval_s,
        )
        self.pictures.caretaker = self.caretaker
        self.postman = Postman(plant.broker, spawn)
        self.reporter = Reporter(
            plant.topics,
            live,
            send=self.postman.send,
            info=self.pictures.info,
            state=self.pictures.state,
            health=self.pictures.health,
            zones=plant.layout.zones,
            health_period_s=plant.settings.liveness.health_interval_s,
        )
        # Also what waits and what is made is told, not only what was heard.
        stage.conductor.on_change = self.reporter.changed

    def _conditions(self, keeper: Timekeeper, streak: FailureStreak) -> Conditions:
        """What only has a state: by the name of the fault, its code while it lasts."""
        plant = self._plant
        ends = {
            f"certificate.{days}d": partial(self._certificate_fault, days) for days in WARNED_DAYS
        }
        return {
            "broker": lambda: plant.broker.status().fault,
            "broker.urgent": lambda: plant.urgent_broker.status().fault,
            "clock": keeper.fault,
            "disk": lambda: plant.disk_fault.code or plant.cache.fault,
            "speech": streak.code,
            damage.NAME: damage.JournalDamage(plant.journal).code,
            **ends,
        }

    def _certificate_fault(self, days: int) -> str | None:
        expires_at = self._plant.broker.status().certificate_expires_at
        return certificate_fault(expires_at, self._plant.clock.wall(), days)

    async def recover_disk(self, take_up: Callable[[Sequence[OpenEntry]], Awaitable[Any]]) -> None:
        """Try a disk that failed again and again: it may come back while nobody speaks.

        ``take_up`` is given what was open on a journal that could be opened only now.
        """
        plant = self._plant
        while True:
            await asyncio.sleep(plant.settings.liveness.probe_interval_s)
            await plant.cache.recover()
            await plant.journal.recover()
            found = plant.journal.found_late()
            if found:
                await take_up(found)
