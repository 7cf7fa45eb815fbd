"""The node: studio, stage, watchtower and entrance over one plant, and the loops that run them."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from cosyedge.daemon import translate
from cosyedge.daemon.clock import timekeeper
from cosyedge.daemon.entrance import Entrance
from cosyedge.daemon.plant import Plant
from cosyedge.daemon.pulses import watch_parts
from cosyedge.daemon.stagecraft import Stagecraft
from cosyedge.daemon.studio import Studio
from cosyedge.daemon.watchtower import Watchtower
from cosyedge.service.background import Background
from cosyedge.service.live import LiveSettings
from cosyedge.service.restart import OpenEntry

Loop = tuple[str, Coroutine[Any, Any, None]]


class Node:
    """Everything between the broker's inbox and the outputs. Constructing it starts nothing."""

    def __init__(self, plant: Plant, *, reload: Callable[[], None]) -> None:
        self.plant = plant
        self.settings = translate.service_settings(plant.settings, plant.layout)
        self.background = Background()
        live = LiveSettings(plant.journal, plant.pool.voices)
        self.studio = Studio(plant, self.settings, live)
        keeper = timekeeper(plant.clock, plant.journal)
        self.stage = Stagecraft(
            plant,
            self.settings,
            live,
            self.studio,
            keeper=keeper,
            on_change=lambda: self.watchtower.reporter.changed(),
            on_setting=lambda zone, name: self.watchtower.reporter.setting(zone, name),
            on_output=lambda performance: self.watchtower.caretaker.heard(performance),
        )
        self.watchtower = Watchtower(
            plant,
            live,
            self.stage,
            keeper,
            self.studio.phrasebook.streak,
            spawn=self.background.spawn,
        )
        self.entrance = Entrance(
            plant,
            self.settings,
            live,
            self.studio,
            self.stage,
            self.watchtower,
            keeper=keeper,
            reload=reload,
        )
        entrance = self.entrance
        intakes = {"intake": entrance.intake, "intake urgent": entrance.urgent_intake}
        watch_parts(self.watchtower.vitals, plant, self.stage.conductor, intakes)

    async def start(self) -> None:
        """Take up what the journal has open; from then on announcements can come."""
        self.stage.rules.apply()
        warm = self.studio.reader.warm(self.studio.languages)
        self.background.spawn(warm, "warm the reader")
        await self._take_up(self.plant.journal.open_entries())
        self.studio.prerenderer.want(self.settings.phrases)

    def loops(self) -> Iterator[Loop]:
        """Every loop of the node with its name; each runs until cancelled."""
        plant, entrance, watchtower = self.plant, self.entrance, self.watchtower
        yield "mqtt", plant.broker.run()
        yield "mqtt urgent", plant.urgent_broker.run()
        yield "clock", self.stage.conductor.run()
        yield "intake", entrance.intake.run(plant.broker.inbox)
        yield "intake urgent", entrance.urgent_intake.run(plant.urgent_broker.inbox)
        yield "teller", self.stage.teller.run()
        yield "outbox", self.stage.outbox.run()
        yield "prefetch", entrance.commands.run()
        yield "prerender", self.studio.prerenderer.run()
        yield "schedule", entrance.schedule.run()
        yield "state", watchtower.reporter.run_state()
        yield "health", watchtower.reporter.run_health()
        yield "memory", watchtower.guard.run()
        yield "probes", watchtower.caretaker.probe_outputs()
        yield "ping", watchtower.caretaker.ping_engine()
        yield "watch", watchtower.caretaker.watch()
        yield "conditions", watchtower.caretaker.watch_conditions()
        yield "disk", watchtower.recover_disk(self._take_up)

    def online(self) -> None:
        """The broker is back: retained topics again, and what waits in the outbox."""
        self.watchtower.reporter.everything()
        self.stage.outbox.wake()

    def status(self) -> str:
        """One line for the service manager."""
        return self.watchtower.pictures.status()

    async def drain(self, deadline_s: float) -> None:
        """Start nothing more and let what plays come to its end."""
        await self.stage.conductor.drain(deadline_s)

    async def close(self) -> None:
        """Fall silent, keep what is open in the journal, tell what was still to be told."""
        await self.stage.conductor.close()
        self.watchtower.pictures.is_stopped = True
        self.watchtower.reporter.at_once()
        await self.background.settle(1.0)
        await self.studio.phrasebook.close()
        await self.stage.teller.flush()

    async def _take_up(self, entries: Sequence[OpenEntry]) -> None:
        await self.entrance.restart.take_up(entries, on_crash=self.settings.policy.on_crash)
