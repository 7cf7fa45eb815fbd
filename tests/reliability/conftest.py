"""A node that is not started yet, and what a test says to it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.broker import Broker
from tests.support.node import OUTPUTS, Node

MakeNode = Callable[..., Node]


@pytest.fixture
def make_node(broker: Broker, tmp_path: Path) -> Iterator[MakeNode]:
    """Make a node by its configuration; it is ended at the end of the test."""
    made: list[Node] = []

    def make(config: str = OUTPUTS) -> Node:
        node = Node(broker, tmp_path / f"node{len(made)}", config)
        made.append(node)
        return node

    yield make
    for node in made:
        node.abandon()
