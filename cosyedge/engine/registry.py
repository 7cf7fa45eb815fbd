"""The table from a manifest's ``engine`` to its module, which is imported when it is needed."""

from importlib import import_module
from typing import cast

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.contract import EngineModule

MODULES = {
    "hibari": "cosyedge.engine.hibari",
    "cosyvoice": "cosyedge.engine.cosyvoice",
}


def engine_module(engine: str) -> EngineModule:
    """Import the module of ``engine``; raises EngineFailure("model_invalid") for an unknown one."""
    if engine not in MODULES:
        raise EngineFailure("model_invalid", f"there is no engine called {engine!r}")
    return cast(EngineModule, import_module(MODULES[engine]))
