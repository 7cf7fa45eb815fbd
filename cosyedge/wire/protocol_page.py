"""The tables of docs/protocol.md, written from the topics and the models between their markers.

`python -m cosyedge.wire.protocol_page` writes them; with `--check` it only says if they are stale.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import BaseModel

from cosyedge.wire.announcement_page import refresh
from cosyedge.wire.commands import REQUESTS, Cancel, Prefetch, Request
from cosyedge.wire.events import Audio, EventMessage, Timings, ZoneOutcome
from cosyedge.wire.responses import Response
from cosyedge.wire.say import NOT_SUPPORTED_YET, SayRequest
from cosyedge.wire.topics import ROUTES, Route

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
NODE = "<base>/<node>"


def command_table() -> str:
    """List the topics that command."""
    rows = [
        (_places(route), str(route.qos), route.payload)
        for route in ROUTES
        if route.direction == "in"
    ]
    return _table(("topic", "QoS", "payload"), rows)


def published_table() -> str:
    """List the topics that a node publishes."""
    rows = [
        (_places(route), str(route.qos), "yes" if route.retain else "", route.payload)
        for route in ROUTES
        if route.direction == "out"
    ]
    return _table(("topic", "QoS", "retained", "what"), rows)


def request_table() -> str:
    """List the requests."""
    return _table(("request", "what"), ((f"`{name}`", what) for name, what in REQUESTS.items()))


def field_table(model: type[BaseModel]) -> Callable[[], str]:
    """Make the table of a payload's keys."""
    return lambda: _table(("key", "type", "meaning"), _rows(model))


def _rows(model: type[BaseModel]) -> Iterable[tuple[str, str, str]]:
    properties = model.model_json_schema(by_alias=True)
    definitions = properties.get("$defs", {})
    for key, schema in properties["properties"].items():
        later = " (not supported yet)" if key in NOT_SUPPORTED_YET else ""
        kind = _kind(schema, definitions)
        yield f"`{key}`", kind, schema.get("description", "") + later


def _kind(schema: dict[str, object], definitions: dict[str, dict[str, object]]) -> str:
    """Name the type and the range that a JSON Schema allows."""
    if "$ref" in schema:
        return _kind(definitions[str(schema["$ref"]).rsplit("/", 1)[-1]], definitions)
    choices = schema.get("anyOf") or schema.get("allOf")
    if isinstance(choices, list):
        kinds = (_kind(choice, definitions) for choice in choices if choice.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds))
    values = schema.get("enum")
    if isinstance(values, list):
        return ", ".join(str(value) for value in values)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum")
    bounds = f" {low} to {high}" if low is not None and high is not None else ""
    names = {"array": "list", "object": "object", "boolean": "true or false", "integer": "integer"}
    return names.get(str(schema.get("type")), str(schema.get("type"))) + bounds


def _places(route: Route) -> str:
    path = route.path.replace("{", "<").replace("}", ">")
    tails = [path, f"{path}/<class>"] if route.classed else [path]
    scopes = [NODE]
    scopes += [f"{NODE}/zone/<zone>"] if "zone" in route.scopes else []
    scopes += ["<base>/all"] if "all" in route.scopes else []
    return ", ".join(f"`{scope}/{tail}`" for scope in scopes for tail in tails)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


TABLES: dict[str, Callable[[], str]] = {
    "commands": command_table,
    "published": published_table,
    "say": field_table(SayRequest),
    "cancel": field_table(Cancel),
    "prefetch": field_table(Prefetch),
    "requests": request_table,
    "request": field_table(Request),
    "response": field_table(Response),
    "event": field_table(EventMessage),
    "zone": field_table(ZoneOutcome),
    "timings": field_table(Timings),
    "audio": field_table(Audio),
}


def main(arguments: list[str], path: Path = PAGE) -> int:
    """Write the page, or with --check return 1 when it is stale."""
    page = path.read_text("utf-8")
    fresh = refresh(page, TABLES)
    if "--check" not in arguments:
        path.write_text(fresh, "utf-8")
    elif page != fresh:
        sys.stderr.write(
            "docs/protocol.md is out of date: run python -m cosyedge.wire.protocol_page\n"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
