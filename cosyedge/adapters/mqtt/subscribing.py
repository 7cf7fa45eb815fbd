"""Subscribe to all filters of a session, and tell which ones the broker refused."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cosyedge.adapters.mqtt.link import Link
from cosyedge.adapters.mqtt.settings import Subscription
from cosyedge.core.errors import OutputFailure

# AWS IoT Core takes eight filters in one SUBSCRIBE.
FILTERS_AT_ONCE: Final = 8
FAILED: Final = 0x80


@dataclass(frozen=True, slots=True)
class CanaryFilter:
    """Our own canary comes back at QoS 0, past any window of unacknowledged messages."""

    topic: str
    qos: int = 0


async def subscribe(
    link: Link, filters: Iterable[Subscription], *, timeout_s: float
) -> tuple[str, ...]:
    """The filters that were refused. Raises OutputFailure where no answer comes."""
    wanted = list(filters)
    refused: list[str] = []
    try:
        async with asyncio.timeout(timeout_s):
            for first in range(0, len(wanted), FILTERS_AT_ONCE):
                some = wanted[first : first + FILTERS_AT_ONCE]
                codes = await link.subscribe(some)
                granted = [code < FAILED for code in codes] + [False] * len(some)
                refused += [each.topic for each, ok in zip(some, granted, strict=False) if not ok]
    except TimeoutError as error:
        raise OutputFailure("broker_unavailable", "no SUBACK in time") from error
    return tuple(refused)
