"""The connection to the MQTT broker: paho driven by our own event loop."""

from cosyedge.adapters.mqtt.broker import MqttBroker
from cosyedge.adapters.mqtt.settings import MqttSettings, TlsFiles
from cosyedge.adapters.mqtt.status import MqttStatus

__all__ = ["MqttBroker", "MqttSettings", "MqttStatus", "TlsFiles"]
