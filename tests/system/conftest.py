"""One box for all system tests: installed from wheels, with the broker that the docs print."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.box import Box, why_not
from tests.system.node import UNIT, Node
from tests.system.printed import carry_out
from tests.system.wheelhouse import REPOSITORY, make_wheelhouse

INSTALL = "/run/host/systemd/install.sh"


@pytest.fixture(scope="session")
def box() -> Iterator[Box]:
    """A booted machine with the repository's wheels and scripts under /run/host."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    base = Path(tempfile.mkdtemp(prefix="cosyedge-box-"))
    with Box(base / "box") as booted:
        shutil.copytree(REPOSITORY / "systemd", booted.share / "systemd")
        make_wheelhouse(booted.share / "wheels", "voice")
        yield booted
    shutil.rmtree(base)


@pytest.fixture(scope="session")
def installed(box: Box) -> Box:
    """cosyedge, installed as install.md says, with the configuration that comes with it."""
    box.run(INSTALL, "--wheelhouse", "/run/host/wheels")
    return box


@pytest.fixture(scope="session")
def hall(installed: Box) -> Iterator[Node]:
    """The node `hall` behind the broker of security.md, heard by a watcher."""
    carry_out(installed, "security.md")
    node = Node(installed)
    with node.watched():
        yield node


@pytest.fixture
def node(hall: Node) -> Node:
    """The same, running and speaking, whatever the test before has left."""
    if hall.box.run("systemctl", "is-active", UNIT, check=False).stdout.strip() != "active":
        hall.box.run("systemctl", "restart", UNIT)
    return hall
