"""The postman: publishes what may be lost: pictures, settings' twins and answers.

A retained topic is sent again at each connection; whoever asks a question is connected.
"""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Broker, Outgoing

log = logging.getLogger(__name__)

DEADLINE_S = 10.0
#: More than these do not wait for a broker that is away.
WAITING = 64


class Postman:
    """Sends without waiting, in order; what no broker takes within 10 s is dropped."""

    def __init__(
        self, broker: Broker, spawn: Callable[[Coroutine[Any, Any, None], str], object]
    ) -> None:
        self._broker = broker
        self._spawn = spawn
        self._waiting = 0

    def send(self, message: Outgoing) -> None:
        """Publish ``message`` soon."""
        if self._waiting < WAITING:
            self._waiting += 1
            self._spawn(self._publish(message), f"publish {message.topic}")

    async def _publish(self, message: Outgoing) -> None:
        try:
            await self._broker.publish(message, deadline_s=DEADLINE_S)
        except OutputFailure as error:
            extra = {"COSYEDGE_CODE": error.code, "topic": message.topic}
            log.debug("not published", extra=extra)
        finally:
            self._waiting -= 1
