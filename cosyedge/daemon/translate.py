"""Sections of the configuration become the settings of each part."""

from dataclasses import replace

from cosyedge.adapters.mqtt import MqttSettings, TlsFiles
from cosyedge.config import Layout, Settings
from cosyedge.config.reading import lexicon_of
from cosyedge.config.zones import HookSettings, QuietHoursSettings, ZoneSettings
from cosyedge.core.announcement import CLASSES
from cosyedge.core.backlog import QueueLimits
from cosyedge.core.policy import QuietHours, ZoneRules
from cosyedge.service import settings as service
from cosyedge.service.ports import Outgoing
from cosyedge.text import ReadingOptions
from cosyedge.wire.grants import GrantPolicy
from cosyedge.wire.topics import Topics
from cosyedge.worker.pool import PoolSettings
from cosyedge.worker.settings import WorkerSettings


def service_settings(settings: Settings, layout: Layout) -> service.ServiceSettings:
    """What the service reads."""
    return service.ServiceSettings(
        node=service.NodeSettings(
            name=settings.node.name,
            base=settings.node.base,
            voice=settings.engine.voice,
            fallback_voice=settings.engine.fallback_voice,
            default_zone=layout.default_zone,
            log_text=settings.log.text,
            speed=settings.engine.speed,
            quality={"tier": settings.engine.quality},
        ),
        zones={name: _zone(name, zone) for name, zone in layout.zones.items()},
        groups=settings.groups,
        limits=service.Limits(
            payload_bytes=settings.limits.payload_bytes,
            text_max_chars=settings.limits.text_max_chars,
            ttl_s=settings.queue.ttl_s,
            emergency_ttl_s=settings.queue.emergency_ttl_s,
            ttl_max_s=settings.queue.ttl_max_s,
            rate_per_s=settings.limits.rate_per_s,
            rate_burst=settings.limits.rate_burst,
        ),
        templates=settings.templates,
        phrases=tuple(_phrase(settings, index) for index in range(len(settings.phrases))),
        schedule=_schedule(settings),
        timezone=settings.node.timezone or None,
        policy=service.Policy(
            interrupt=settings.policy.interrupt,
            resume=settings.policy.resume,
            routing=settings.policy.routing,
            on_crash=settings.policy.on_crash,
        ),
    )


def deadlines(settings: Settings) -> service.Deadlines:
    """How long a synthesis may take."""
    engine = settings.engine
    return service.Deadlines(engine.deadline_min_s, engine.deadline_factor, engine.deadline_max_s)


def reading_options(settings: Settings) -> ReadingOptions:
    """How texts are read on this node; each voice sets its own bounds."""
    return ReadingOptions(
        lang=settings.node.lang or "auto",
        latin_default=settings.node.latin_default,
        han_default=settings.node.han_default,
        markup=settings.text.markup,
        lexicon=lexicon_of(settings.text),
        text_max_chars=settings.limits.text_max_chars,
        unavailable=settings.policy.unavailable,
    )


def queue_limits(settings: Settings) -> QueueLimits:
    """Bounds of the backlog."""
    queue = settings.queue
    return QueueLimits(queue.max_items, queue.max_bytes, queue.burst_max)


def zone_rules(zone: ZoneSettings) -> ZoneRules:
    """What a zone lets through."""
    quiet = () if zone.quiet_hours is None else (_quiet_hours(zone.quiet_hours),)
    return ZoneRules(zone.mute, frozenset(zone.mute_classes), quiet)


def grants(settings: Settings) -> GrantPolicy:
    """What plain topics allow."""
    return GrantPolicy(settings.mqtt.grants.say, settings.mqtt.grants.say_default)


def pool_settings(settings: Settings) -> PoolSettings:
    """What the workers may use."""
    engine = settings.engine
    worker = WorkerSettings(
        threads=engine.threads,
        memory_cap_bytes=engine.memory_cap_mb << 20,
        recycle_above_bytes=engine.recycle_bytes,
        stages=engine.stages,
        load_deadline_s=engine.start_timeout_s,
    )
    return PoolSettings(
        default_voice=engine.voice,
        worker=worker,
        total_cap_bytes=engine.total_memory_cap_mb << 20,
        by_voice={name: replace(worker, options=own) for name, own in engine.options.items()},
    )


def mqtt_settings(
    settings: Settings, topics: Topics, *, password: str | None, urgent: bool
) -> MqttSettings:
    """One session; the urgent one has a client id and filters of its own, and no will."""
    mqtt = settings.mqtt
    client_id = mqtt.client_id or f"{settings.node.base.replace('/', '-')}-{settings.node.name}"
    availability = topics.of("availability")
    return MqttSettings(
        host=mqtt.host,
        port=mqtt.port,
        client_id=f"{client_id}-urgent" if urgent else client_id,
        canary_topic=topics.of("canary"),
        filters=topics.filters("urgent" if urgent else "normal"),
        username=mqtt.username,
        password=password,
        version=mqtt.version,
        tls=TlsFiles(mqtt.tls.ca_file, mqtt.tls.cert_file, mqtt.tls.key_file)
        if mqtt.tls.enabled
        else None,
        keepalive_s=mqtt.keepalive_s,
        connect_timeout_s=mqtt.connect_timeout_s,
        reconnect_min_s=mqtt.reconnect_min_s,
        reconnect_max_s=mqtt.reconnect_max_s,
        session_expiry_s=mqtt.session_expiry_s,
        receive_maximum=mqtt.receive_maximum,
        max_packet_bytes=mqtt.max_packet_bytes,
        broker_max_bytes=mqtt.broker_max_bytes,
        canary_period_s=settings.liveness.canary_interval_s,
        canary_deadline_s=settings.liveness.canary_deadline_s,
        will=None if urgent else Outgoing(availability, b"offline", retain=True),
        birth=None if urgent else Outgoing(availability, b"online", retain=True),
    )


def _zone(name: str, zone: ZoneSettings) -> service.Zone:
    return service.Zone(
        name=name,
        outputs=zone.outputs,
        fallback_output=zone.fallback_output,
        volume=zone.volume,
        voice=zone.voice,
        lang=zone.lang,
        before=tuple(_hook(hook) for hook in zone.before),
        after=tuple(_hook(hook) for hook in zone.after),
    )


def _hook(hook: HookSettings) -> service.Hook:
    return service.Hook(hook.argv, hook.topic, hook.payload, hook.deadline_s)


def _quiet_hours(quiet: QuietHoursSettings) -> QuietHours:
    """Classes below ``below`` are held back, or heard at ``volume`` at most."""
    floor = CLASSES[quiet.below]
    return QuietHours(
        begin_min=quiet.start.hour * 60 + quiet.start.minute,
        end_min=quiet.end.hour * 60 + quiet.end.minute,
        classes=frozenset(name for name, value in CLASSES.items() if value < floor),
        volume=quiet.volume or None,
    )


def _phrase(settings: Settings, index: int) -> service.Phrase:
    phrase = settings.phrases[index]
    zone = settings.zones.get(phrase.zone or "")
    lang = phrase.lang or (zone.lang if zone else None)
    voice = phrase.voice or (zone.voice if zone else None)
    return service.Phrase(phrase.text, lang, voice, phrase.speed or settings.engine.speed)


def _schedule(settings: Settings) -> tuple[service.ScheduleEntry, ...]:
    return tuple(
        service.ScheduleEntry(
            name=entry.name,
            cron=entry.cron_on_days,
            payload=entry.payload,
            class_name=entry.class_,
            except_days=frozenset(day.isoformat() for day in entry.exceptions),
        )
        for entry in settings.schedule
        if entry.enabled
    )
