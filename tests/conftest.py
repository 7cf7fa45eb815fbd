"""What all tests share: quiet libraries and a real broker."""

import os
from collections.abc import Iterator

import pytest

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from tests.support.broker import Broker


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A mosquitto of the test's own, on a free port of 127.0.0.1."""
    with Broker() as running:
        yield running
