"""The entrance: what reads messages, put together: composer, commands, requests, two intakes."""

import json
import secrets
from collections.abc import Callable

from cosyedge.adapters.mqtt import MqttBroker
from cosyedge.core.announcement import Announcement
from cosyedge.core.token_bucket import TokenBuckets
from cosyedge.daemon import translate
from cosyedge.daemon.answers import Answers
from cosyedge.daemon.plant import Plant
from cosyedge.daemon.stagecraft import Stagecraft
from cosyedge.daemon.studio import Studio
from cosyedge.daemon.watchtower import Watchtower
from cosyedge.service.commands import Commands, Stagehands
from cosyedge.service.composer import Composer
from cosyedge.service.intake import Intake
from cosyedge.service.live import LiveSettings
from cosyedge.service.ports import Message
from cosyedge.service.requests import Requests
from cosyedge.service.restart import Restart
from cosyedge.service.schedule import Schedule
from cosyedge.service.settings import ScheduleEntry, ServiceSettings
from cosyedge.service.timekeeper import Timekeeper
from cosyedge.wire.json_reader import ReadingLimits


class Entrance:
    """From a message, a restart or the box's own hour to an announcement at the door."""

    def __init__(
        self,
        plant: Plant,
        settings: ServiceSettings,
        live: LiveSettings,
        studio: Studio,
        stage: Stagecraft,
        watchtower: Watchtower,
        *,
        keeper: Timekeeper,
        reload: Callable[[], None],
    ) -> None:
        self._plant = plant
        self._limits = ReadingLimits(settings.limits.payload_bytes)
        self._buckets = TokenBuckets(settings.limits.rate_per_s, settings.limits.rate_burst)
        self._stage = stage
        self._studio = studio
        self._watchtower = watchtower
        self._grants = translate.grants(plant.settings)
        self.composer = Composer(
            settings,
            studio.reader,
            live,
            plant.clock,
            grants=self._grants,
            media=plant.recordings.names,
            new_id=new_id,
        )
        self.commands = self._make_commands(settings, live, reload)
        self.intake = self._make_intake(backlogs(plant.broker))
        self.urgent_intake = self._make_intake(lambda: False)
        parts = stage.dispatcher, stage.conductor, stage.teller
        self.restart = Restart(plant.topics, self.composer, *parts, plant.clock)
        self.schedule = Schedule(
            settings.schedule,
            plant.clock,
            timezone=settings.timezone,
            say=self._say_by_schedule,
            is_unset=lambda: keeper.is_unset,
        )

    def _make_commands(
        self, settings: ServiceSettings, live: LiveSettings, reload: Callable[[], None]
    ) -> Commands:
        plant, stage, studio = self._plant, self._stage, self._studio
        answers = Answers(
            plant,
            self._watchtower.pictures,
            stage.dispatcher,
            stage.conductor,
            stage.faults,
            studio.phrasebook,
            studio.reader,
            studio.prerenderer,
            grants=self._grants,
            reload=reload,
        )
        send = self._watchtower.postman.send
        return Commands(
            settings,
            Stagehands(stage.dispatcher, stage.conductor, stage.door, live, studio.prerenderer),
            plant.clock,
            grants=self._grants,
            limits=self._limits,
            new_id=new_id,
            on_setting=stage.rules.changed,
            request=Requests(plant.topics, self._limits, answers.table(), send),
        )

    def _make_intake(self, outage_ended: Callable[[], bool]) -> Intake:
        return Intake(
            self._plant.topics,
            self.composer,
            self._stage.door,
            self._stage.teller,
            self._plant.clock,
            buckets=self._buckets,
            limits=self._limits,
            command=self.commands,
            overloaded=self._overloaded,
            outage_ended=outage_ended,
        )

    async def _overloaded(self, announcement: Announcement) -> bool:
        """Short of memory, a low class is refused unless it costs no synthesis."""
        if not self._watchtower.guard.overloaded(announcement):
            return False
        return await self._studio.costs_a_synthesis(announcement)

    async def _say_by_schedule(self, entry: ScheduleEntry) -> None:
        """A scheduled announcement is a message of our own: it has an end like any other."""
        topic = self._plant.topics.of(f"say/{entry.class_name}")
        payload = json.dumps(entry.payload).encode()
        await self.intake.take([Message(topic, payload, retain=False, qos=1)])


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
