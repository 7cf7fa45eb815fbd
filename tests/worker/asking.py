"""Ask a worker for speech, and wait for what it does."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from cosyedge.core.errors import EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest


async def speech_of(
    engine: Any, *requests: SpeechRequest, deadline_s: float = 30.0, **how: Any
) -> list[Speech]:
    """All speech of one call, in the order of the requests."""
    async with aclosing(engine.synthesize(requests, deadline_s=deadline_s, **how)) as answers:
        made = {index: speech async for index, speech in answers}
    return [made[index] for index in range(len(requests))]


async def failure_of(engine: Any, *requests: SpeechRequest, **how: Any) -> EngineFailure:
    """The failure of a call that must fail."""
    try:
        await speech_of(engine, *requests, **how)
    except EngineFailure as failure:
        return failure
    raise AssertionError("the call gave speech")


async def until(condition: Callable[[], bool], within_s: float = 20.0) -> None:
    """Return once the condition holds; a test fails if it does not in time."""
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.005)
