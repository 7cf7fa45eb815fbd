"""The broker as a command reaches it: the configuration's way, with what the options change."""

from dataclasses import dataclass

from cosyedge.adapters.mqtt.settings import MqttSettings, TlsFiles
from cosyedge.config import Settings, mqtt_password


@dataclass(frozen=True, slots=True)
class Reach:
    """What a command's options say of the broker; None stands for the configuration's."""

    host: str | None = None
    port: int | None = None


def visitor_settings(settings: Settings, reach: Reach) -> MqttSettings:
    """Make the settings of one visit. Raises SettingsError for an unusable secret."""
    mqtt = settings.mqtt
    tls = mqtt.tls
    files = TlsFiles(tls.ca_file, tls.cert_file, tls.key_file) if tls.enabled else None
    return MqttSettings(
        host=reach.host or mqtt.host,
        port=reach.port or mqtt.port,
        client_id="visitor",
        canary_topic="",
        username=mqtt.username,
        password=mqtt_password(mqtt),
        version=mqtt.version,
        tls=files,
        keepalive_s=mqtt.keepalive_s,
        connect_timeout_s=mqtt.connect_timeout_s,
        broker_max_bytes=mqtt.broker_max_bytes,
    )
