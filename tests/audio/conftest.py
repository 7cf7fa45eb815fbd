"""Fixtures of the audio tests."""

from collections.abc import Iterator

import pytest

from tests.audio.pulse import MISSING, PulseServer


@pytest.fixture
def pulse(monkeypatch: pytest.MonkeyPatch) -> Iterator[PulseServer]:
    """A sound server with one device; players that are started meanwhile find it."""
    if MISSING:
        pytest.skip(f"not installed: {', '.join(MISSING)}")
    server = PulseServer()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    try:
        server.start()
        yield server
    finally:
        server.stop()
