"""The broker as a command reaches it: the configuration's way, with what the options change."""

from dataclasses import dataclass, replace

from cosyedge.adapters.mqtt.settings import MqttSettings
from cosyedge.config import Settings, mqtt_password
from cosyedge.daemon import translate
from cosyedge.wire.topics import Topics


@dataclass(frozen=True, slots=True)
class Reach:
    """What a command's options say of the broker; None stands for the configuration's."""

    host: str | None = None
    port: int | None = None


def visitor_settings(settings: Settings, reach: Reach) -> MqttSettings:
    """Make the settings of one visit. Raises SettingsError for an unusable secret."""
    topics = Topics(settings.node.base, settings.node.name)
    password = mqtt_password(settings.mqtt)
    known = translate.mqtt_settings(settings, topics, password=password, urgent=False)
    return replace(known, host=reach.host or known.host, port=reach.port or known.port)
