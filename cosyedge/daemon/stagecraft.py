"""Stagecraft: what decides, plays and tells: dispatcher, conductor, door, teller, outbox."""

from collections.abc import Callable

from cosyedge.core.decisions import Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import Event, EventType
from cosyedge.daemon import translate
from cosyedge.daemon.clock import minute_of_day
from cosyedge.daemon.plant import Plant
from cosyedge.daemon.studio import Studio
from cosyedge.service.account import summarize
from cosyedge.service.bulletins import Bulletins
from cosyedge.service.conductor import Conductor, Story
from cosyedge.service.door import Door
from cosyedge.service.faults import Faults
from cosyedge.service.handover import Handover
from cosyedge.service.hooks import Curtain
from cosyedge.service.live import LiveSettings
from cosyedge.service.outbox import Outbox
from cosyedge.service.performance import Performance
from cosyedge.service.rules import Rules
from cosyedge.service.settings import ServiceSettings
from cosyedge.service.teller import Teller
from cosyedge.service.timekeeper import Timekeeper


class Stagecraft:
    """From an accepted announcement to its end and the event that tells it."""

    def __init__(
        self,
        plant: Plant,
        settings: ServiceSettings,
        live: LiveSettings,
        studio: Studio,
        *,
        keeper: Timekeeper,
        on_change: Callable[[], None],
        on_setting: Callable[[str | None, str], None],
        on_output: Callable[[Performance], None],
    ) -> None:
        """``on_change`` hears that the state is another, ``on_setting`` of each live setting,
        ``on_output`` of each performance that has ended."""
        self._plant = plant
        self._on_change = on_change
        clock = plant.clock
        minute = minute_of_day(clock, keeper, plant.settings.node.timezone)
        bulletins = Bulletins(plant.topics, clock, log_text=plant.settings.log.text)
        zones = {name: translate.zone_rules(zone) for name, zone in plant.layout.zones.items()}
        limits, groups = translate.queue_limits(plant.settings), plant.settings.groups
        self.outbox = Outbox(plant.journal, plant.broker)
        self.teller = Teller(plant.journal, bulletins.write, on_written=self.outbox.wake)
        self.faults = Faults(plant.journal, tell=self._tell_fault)
        self.dispatcher = Dispatcher(zones, limits, groups, minute())
        self.conductor = Conductor(
            self.dispatcher,
            clock,
            cast=studio.casting.cast,
            tell=self._tell,
            on_output=on_output,
            minute=minute,
        )
        self._equip(settings, studio)
        self.door = Door(
            self.dispatcher, self.conductor, self.teller, plant.journal, clock, minute=minute
        )
        parts = self.dispatcher, self.conductor, clock
        self.rules = Rules(zones, limits, groups, live, *parts, on_setting=on_setting)

    def _equip(self, settings: ServiceSettings, studio: Studio) -> None:
        """Give the conductor what asks back: who comes next, and whether a zone is silent."""
        self.conductor.handover = Handover(self.dispatcher.heir, studio.casting)
        self.conductor.curtain = Curtain(
            settings.zones,
            self._plant.broker,
            is_silent=lambda zone: self.conductor.playing_in(zone) is None,
        )

    def _tell(self, tell: Tell, story: Story | None) -> None:
        """Write an event with what is known of its sound."""
        now = self._plant.clock.monotonic()
        accounts = story.accounts if story and tell.type is not EventType.STARTED else ()
        details = summarize(tell.announcement, accounts, now) | dict(tell.details)
        event = Event(tell.type, tell.announcement.id, tell.reason, tell.zones, details)
        self.teller.tell(event, tell.announcement)
        self._on_change()

    def _tell_fault(self, event: Event) -> None:
        self.teller.tell(event)
        self._on_change()
