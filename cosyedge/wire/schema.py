"""The whole contract as JSON Schema, printed from the models that parse it."""

from typing import Any

from pydantic import BaseModel

from cosyedge.wire.commands import Cancel, Chime, Prefetch, Request, ZoneCommand
from cosyedge.wire.events import EventMessage
from cosyedge.wire.responses import Response
from cosyedge.wire.say import SayRequest

SCHEMA_NUMBER = 1

MODELS: dict[str, type[BaseModel]] = {
    "say": SayRequest,
    "cancel": Cancel,
    "skip": ZoneCommand,
    "pause": ZoneCommand,
    "resume": ZoneCommand,
    "replay": ZoneCommand,
    "prefetch": Prefetch,
    "chime": Chime,
    "request": Request,
    "response": Response,
    "event": EventMessage,
}


def schema() -> dict[str, Any]:
    """One JSON Schema (2020-12) with a definition for each kind of payload."""
    definitions: dict[str, Any] = {}
    for name, model in MODELS.items():
        own = model.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= own.pop("$defs", {})
        definitions[name] = own
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cosyedge",
        "version": SCHEMA_NUMBER,
        "$defs": definitions,
    }
