"""Make a paho client for one connection; it is given its socket instead of dialling itself."""

from typing import TYPE_CHECKING

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from cosyedge.adapters.mqtt.frames import FramedSocket
from cosyedge.adapters.mqtt.packets import connect_properties, will_properties
from cosyedge.adapters.mqtt.settings import MqttSettings

if TYPE_CHECKING:
    from paho.mqtt.client import SocketLike


class Client(paho.Client):
    """paho without its own dialling, store across connections, or acknowledgements."""

    def __init__(self, settings: MqttSettings, sock: FramedSocket, *, v5: bool) -> None:
        super().__init__(
            CallbackAPIVersion.VERSION2,
            client_id=settings.client_id,
            clean_session=None if v5 else settings.session_expiry_s == 0,
            protocol=paho.MQTTv5 if v5 else paho.MQTTv311,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        # The broker's Receive Maximum is kept by the link, which learns it after paho could.
        self.max_inflight_messages_set(0)
        self._given = sock
        self._speaks_v5 = v5
        self._settings = settings
        if settings.username is not None:
            self.username_pw_set(settings.username, settings.password)
        if settings.will is not None:
            self.will_set(
                settings.will.topic,
                settings.will.payload,
                qos=settings.will.qos,
                retain=settings.will.retain,
                properties=will_properties(settings) if v5 else None,
            )

    def greet(self) -> None:
        """Queue CONNECT; the socket is open already, so that nothing blocks."""
        self.connect(
            self._settings.host,
            self._settings.port,
            self._settings.keepalive_s,
            clean_start=False if self._speaks_v5 else paho.MQTT_CLEAN_START_FIRST_ONLY,
            properties=connect_properties(self._settings) if self._speaks_v5 else None,
        )

    def _create_socket(self) -> "SocketLike":
        return self._given
