"""The node: the service's parts, put together over the plant's adapters."""

import asyncio
import json
import secrets
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from cosyedge.adapters.mqtt import MqttBroker
from cosyedge.core.announcement import Announcement
from cosyedge.core.decisions import Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.events import Event, EventType
from cosyedge.core.token_bucket import TokenBuckets
from cosyedge.daemon import translate
from cosyedge.daemon.answers import Answers
from cosyedge.daemon.clock import minute_of_day
from cosyedge.daemon.pictures import Pictures
from cosyedge.daemon.plant import BoxMemory, Plant
from cosyedge.daemon.pulses import watch_parts
from cosyedge.daemon.studio import Studio
from cosyedge.service.account import summarize
from cosyedge.service.background import Background
from cosyedge.service.bulletins import Bulletins
from cosyedge.service.caretaker import Caretaker
from cosyedge.service.commands import Commands, Stagehands
from cosyedge.service.composer import Composer
from cosyedge.service.conductor import Conductor, Story
from cosyedge.service.door import Door
from cosyedge.service.faults import Faults
from cosyedge.service.guard import MemoryGuard
from cosyedge.service.hooks import Curtain
from cosyedge.service.intake import Intake
from cosyedge.service.live import LiveSettings
from cosyedge.service.outbox import Outbox
from cosyedge.service.ports import Message
from cosyedge.service.postman import Postman
from cosyedge.service.reporter import Reporter
from cosyedge.service.requests import Requests
from cosyedge.service.restart import Restart
from cosyedge.service.rules import Rules
from cosyedge.service.schedule import Schedule
from cosyedge.service.settings import ScheduleEntry
from cosyedge.service.teller import Teller
from cosyedge.service.vitals import Vitals
from cosyedge.text import warm
from cosyedge.wire.json_reader import ReadingLimits

Loop = tuple[str, Coroutine[Any, Any, None]]


class Node:
    """Everything between the broker's inbox and the outputs. Constructing it starts nothing."""

    def __init__(self, plant: Plant, *, reload: Callable[[], None]) -> None:
        self.plant = plant
        self.settings = translate.service_settings(plant.settings, plant.layout)
        self.background = Background()
        clock, topics = plant.clock, plant.topics
        minute = minute_of_day(clock.wall, plant.settings.node.timezone)
        self.outbox = Outbox(plant.journal, plant.broker)
        bulletins = Bulletins(topics, clock, log_text=plant.settings.log.text)
        self.teller = Teller(plant.journal, bulletins.write, on_written=self.outbox.wake)
        self.faults = Faults(plant.journal, tell=self._tell_fault)
        self.dispatcher = Dispatcher(
            {name: translate.zone_rules(zone) for name, zone in plant.layout.zones.items()},
            translate.queue_limits(plant.settings),
            plant.settings.groups,
            minute(),
        )
        self.live = LiveSettings(plant.journal, plant.pool.voices)
        self.studio = Studio(plant, self.settings, self.live)
        self.conductor = Conductor(
            self.dispatcher,
            clock,
            cast=self.studio.casting.cast,
            tell=self._tell,
            on_output=lambda performance: self.caretaker.heard(performance),
            minute=minute,
        )
        self.conductor.curtain = Curtain(
            self.settings.zones,
            plant.broker,
            is_silent=lambda zone: self.conductor.playing_in(zone) is None,
        )
        self.door = Door(
            self.dispatcher, self.conductor, self.teller, plant.journal, clock, minute=minute
        )
        self._make_watch()
        self._make_intake(reload)
        self.restart = Restart(
            topics, self.composer, self.dispatcher, self.conductor, self.teller, clock
        )
        self.schedule = Schedule(
            self.settings.schedule,
            clock,
            timezone=self.settings.timezone,
            say=self._say_by_schedule,
        )

    async def start(self) -> None:
        """Take up what the journal has open; from then on announcements can come."""
        self.rules.apply()
        self.background.spawn(asyncio.to_thread(warm, self.studio.languages), "warm the reader")
        entries = self.plant.journal.open_entries()
        await self.restart.take_up(entries, on_crash=self.settings.policy.on_crash)
        self.studio.prerenderer.want(self.settings.phrases)

    def loops(self) -> Iterator[Loop]:
        """Every loop of the node with its name; each runs until cancelled."""
        plant = self.plant
        yield "mqtt", plant.broker.run()
        yield "mqtt urgent", plant.urgent_broker.run()
        yield "clock", self.conductor.run()
        yield "intake", self.intake.run(plant.broker.inbox)
        yield "intake urgent", self.urgent_intake.run(plant.urgent_broker.inbox)
        yield "teller", self.teller.run()
        yield "outbox", self.outbox.run()
        yield "prefetch", self.commands.run()
        yield "prerender", self.studio.prerenderer.run()
        yield "schedule", self.schedule.run()
        yield "state", self.reporter.run_state()
        yield "health", self.reporter.run_health()
        yield "memory", self.guard.run()
        yield "probes", self.caretaker.probe_outputs()
        yield "ping", self.caretaker.ping_engine()
        yield "watch", self.caretaker.watch()
        yield "conditions", self.caretaker.watch_conditions()
        yield "disk", self._recover_disk()

    def online(self) -> None:
        """The broker is back: retained topics again, and what waits in the outbox."""
        self.reporter.everything()
        self.outbox.wake()

    async def close(self) -> None:
        """Fall silent, keep what is open in the journal, tell what was still to be told."""
        await self.conductor.close()
        await self.background.settle(1.0)
        await self.studio.phrasebook.close()
        await self.teller.flush()

    def _make_watch(self) -> None:
        plant = self.plant
        self.pictures = Pictures(plant, self.dispatcher, self.faults)
        self.vitals = Vitals(plant.clock, period_s=plant.settings.liveness.progress_s)
        self.guard = MemoryGuard(BoxMemory(), plant.cache)
        self.caretaker = Caretaker(
            self.vitals,
            self.faults,
            plant.pool,
            plant.outputs,
            plant.notifier,
            plant.clock,
            status=self.pictures.status,
            conditions={
                "broker": lambda: plant.broker.status().fault,
                "broker.urgent": lambda: plant.urgent_broker.status().fault,
                "disk": lambda: plant.disk_fault.code or plant.cache.fault,
            },
            probe_period_s=plant.settings.liveness.probe_interval_s,
        )
        self.pictures.caretaker = self.caretaker
        self.postman = Postman(plant.broker, self.background.spawn)
        self.reporter = Reporter(
            plant.topics,
            self.live,
            send=self.postman.send,
            info=self.pictures.info,
            state=self.pictures.state,
            health=self.pictures.health,
            zones=plant.layout.zones,
            health_period_s=plant.settings.liveness.health_interval_s,
        )

    def _make_intake(self, reload: Callable[[], None]) -> None:
        plant, limits = self.plant, self.settings.limits
        grants = translate.grants(plant.settings)
        reading_limits = ReadingLimits(limits.payload_bytes)
        self.composer = Composer(
            self.settings,
            self.studio.reader,
            self.live,
            plant.clock,
            grants=grants,
            media=plant.recordings.names,
            new_id=new_id,
        )
        self._make_rules()
        answers = Answers(
            plant,
            self.pictures,
            self.dispatcher,
            self.conductor,
            self.faults,
            self.studio.phrasebook,
            self.studio.reader,
            self.studio.prerenderer,
            grants=grants,
            reload=reload,
        )
        hands = Stagehands(
            self.dispatcher, self.conductor, self.door, self.live, self.studio.prerenderer
        )
        requests = Requests(plant.topics, reading_limits, answers.table(), self.postman.send)
        self.commands = Commands(
            self.settings,
            hands,
            plant.clock,
            grants=grants,
            limits=reading_limits,
            new_id=new_id,
            on_setting=self.rules.changed,
            request=requests,
        )
        buckets = TokenBuckets(limits.rate_per_s, limits.rate_burst)

        def make_intake(outage_ended: Callable[[], bool]) -> Intake:
            return Intake(
                plant.topics,
                self.composer,
                self.door,
                self.teller,
                plant.clock,
                buckets=buckets,
                limits=reading_limits,
                command=self.commands,
                overloaded=self._overloaded,
                outage_ended=outage_ended,
            )

        self.intake = make_intake(backlogs(plant.broker))
        self.urgent_intake = make_intake(lambda: False)
        intakes = {"intake": self.intake, "intake urgent": self.urgent_intake}
        watch_parts(self.vitals, plant, self.conductor, intakes)

    def _make_rules(self) -> None:
        plant = self.plant
        self.rules = Rules(
            {name: translate.zone_rules(zone) for name, zone in plant.layout.zones.items()},
            translate.queue_limits(plant.settings),
            plant.settings.groups,
            self.live,
            self.dispatcher,
            self.conductor,
            plant.clock,
            on_setting=self.reporter.setting,
        )

    async def _say_by_schedule(self, entry: ScheduleEntry) -> None:
        """A scheduled announcement is a message of our own: it has an end like any other."""
        topic = self.plant.topics.of(f"say/{entry.class_name}")
        payload = json.dumps(entry.payload).encode()
        await self.intake.take([Message(topic, payload, retain=False, qos=1)])

    def _tell(self, tell: Tell, story: Story | None) -> None:
        """Write an event with what is known of its sound."""
        now = self.plant.clock.monotonic()
        accounts = story.accounts if story and tell.type is not EventType.STARTED else ()
        details = summarize(tell.announcement, accounts, now) | dict(tell.details)
        event = Event(tell.type, tell.announcement.id, tell.reason, tell.zones, details)
        self.teller.tell(event, tell.announcement)
        self.reporter.changed()

    async def _recover_disk(self) -> None:
        """Try a disk that failed again and again: it may come back while nobody speaks."""
        while True:
            await asyncio.sleep(self.plant.settings.liveness.probe_interval_s)
            await self.plant.journal.recover()

    def _tell_fault(self, event: Event) -> None:
        self.teller.tell(event)
        self.reporter.changed()

    async def _overloaded(self, announcement: Announcement) -> bool:
        """Short of memory, a low class is refused unless it costs no synthesis."""
        return self.guard.overloaded(announcement) and await self.studio.costs_a_synthesis(
            announcement
        )


def backlogs(broker: MqttBroker) -> Callable[[], bool]:
    """Whether, since the last call, the broker began to send what it kept through an outage."""
    seen = 0

    def began() -> bool:
        nonlocal seen
        before, seen = seen, broker.status().backlogs
        return seen != before

    return began


def new_id() -> str:
    """An id for an announcement that came without one."""
    return secrets.token_hex(8)
