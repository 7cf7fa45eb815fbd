"""Workers for the tests: the real one with the default voice, and bad ones."""

import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cosyedge.adapters.procstat import rss_bytes
from cosyedge.worker.client import WorkerClient
from cosyedge.worker.settings import WorkerSettings
from tests.support.voices import hibari

FAKE = Path(__file__).with_name("fake_worker.py")
SETTINGS = WorkerSettings(threads=1, backoff_first_s=0.01, backoff_most_s=0.05)

Hire = Callable[..., WorkerClient]


@pytest.fixture
async def hire() -> AsyncIterator[Hire]:
    """Make clients that are stopped at the end: of the real worker, or of a named bad one."""
    hired: list[WorkerClient] = []

    def make(behaviour: str | None = None, found: Any = None, **settings: Any) -> WorkerClient:
        voice = found or hibari()
        command = () if behaviour is None else (sys.executable, "-S", str(FAKE), behaviour)
        client = WorkerClient(
            voice.voice,
            voice.folder,
            replace(SETTINGS, **settings),
            rss_of=rss_bytes,
            command=command,
        )
        hired.append(client)
        return client

    yield make
    for client in hired:
        await client.stop()
