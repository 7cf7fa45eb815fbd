"""Engines are known by the name that a manifest gives them."""

import pytest

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.registry import MODULES, engine_module


def test_an_unknown_engine_is_an_invalid_model() -> None:
    with pytest.raises(EngineFailure) as caught:
        engine_module("os")
    assert caught.value.code == "model_invalid"


@pytest.mark.parametrize("engine", sorted(MODULES))
def test_every_engine_can_be_loaded_by_name(engine: str) -> None:
    assert callable(engine_module(engine).load)
