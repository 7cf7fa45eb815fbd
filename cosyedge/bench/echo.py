"""The yardstick: a bare paho client that answers every message with a clip of the same size.

``python -m cosyedge.bench.echo HOST PORT QUESTION ANSWER BYTES`` answers until it is ended.
"""

import sys
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from cosyedge.bench.client import no_delay


def main(host: str, port: str, question: str, answer: str, size: str) -> None:
    """Serve for ever."""
    clip = b"\0" * int(size)

    def on_message(client: paho.Client, _data: Any, message: paho.MQTTMessage) -> None:
        client.publish(f"{answer}/{message.payload.decode()}", clip, qos=1)

    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.on_connect = lambda client, *_: client.subscribe(question, qos=1)
    client.on_subscribe = lambda client, *_: client.publish(f"{answer}/ready", b"", qos=1)
    client.on_message = on_message
    client.on_socket_open = no_delay
    client.connect(host, int(port))
    client.loop_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
