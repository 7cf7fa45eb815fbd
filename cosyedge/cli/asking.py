"""A request to a running node and its answer: zigbee2mqtt's form, request and response topics."""

import asyncio
import json
import secrets
from typing import Any

from cosyedge.adapters.mqtt.visit import Visitor
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Outgoing
from cosyedge.wire.topics import Filter, Topics

ANSWER_DEADLINE_S = 10.0


async def ask(
    visitor: Visitor, topics: Topics, command: str, deadline_s: float = ANSWER_DEADLINE_S
) -> dict[str, Any]:
    """Ask the node and return the answer's data.

    Raises OutputFailure where it does not answer in time, or answers with an error.
    """
    transaction = secrets.token_hex(6)
    await visitor.subscribe([Filter(topics.response(command), 1)])
    payload = json.dumps({"transaction": transaction}).encode()
    await visitor.publish(Outgoing(topics.of(f"request/{command}"), payload))
    try:
        async with asyncio.timeout(deadline_s):
            answer = await _answer(visitor, topics.response(command), transaction)
    except TimeoutError as error:
        raise OutputFailure(
            "broker_unavailable",
            f"node {topics.node} does not answer: is it running, under this name, here?",
        ) from error
    if answer.get("status") != "ok":
        raise OutputFailure("internal", f"node {topics.node} answers: {answer.get('error')}")
    return dict(answer.get("data") or {})


async def _answer(visitor: Visitor, topic: str, transaction: str) -> dict[str, Any]:
    async for message in visitor.messages():
        if message.topic != topic:
            continue
        answer: dict[str, Any] = json.loads(message.payload)
        if answer.get("transaction") == transaction:
            return answer
    raise OutputFailure("broker_unavailable", "the connection ended")
