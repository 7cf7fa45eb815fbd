"""Requests: questions to the node, each answered on ``response/<command>``."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from cosyedge.core.errors import CosyedgeError, Refusal
from cosyedge.service.ports import Message, Outgoing
from cosyedge.wire.commands import Request, parse_request
from cosyedge.wire.json_reader import ReadingLimits
from cosyedge.wire.responses import encode_error, encode_ok
from cosyedge.wire.topics import CommandTopic, Topics, check_response_topic

Answer = Callable[[Request], Awaitable[Mapping[str, Any]]]
ANSWER_EXPIRY_S = 60.0


class Requests:
    """Answers requests by a table of commands; what goes wrong is answered too."""

    def __init__(
        self,
        topics: Topics,
        limits: ReadingLimits,
        answers: Mapping[str, Answer],
        send: Callable[[Outgoing], None],
    ) -> None:
        """``answers`` maps a command to its function; ``send`` queues a message."""
        self._topics = topics
        self._limits = limits
        self._answers = answers
        self._send = send

    async def __call__(self, topic: CommandTopic, message: Message) -> None:
        """Answer one request. Raises Refusal only for a payload that cannot be read."""
        command = topic.argument or ""
        request = parse_request(message.payload, self._limits)
        answer = self._answers.get(command)
        if answer is None and message.response_topic is None:
            raise Refusal("invalid_value", "no such request", field="command")
        try:
            if answer is None:
                raise Refusal("invalid_value", "no such request", field="command")
            payload = encode_ok(await answer(request), request.transaction)
        except CosyedgeError as error:
            payload = encode_error(error, request.transaction)
        self._reply(command, payload, message)

    def _reply(self, command: str, payload: bytes, message: Message) -> None:
        own = self._topics.response(command) if command in self._answers else None
        for topic in (own, message.response_topic):
            if topic is None:
                continue
            if topic is message.response_topic:
                check_response_topic(topic, self._topics.base)
            self._send(
                Outgoing(
                    topic,
                    payload,
                    expiry_s=ANSWER_EXPIRY_S,
                    content_type="application/json",
                    correlation=message.correlation,
                )
            )
