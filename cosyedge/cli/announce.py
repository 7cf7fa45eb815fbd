"""``cosyedge announce``: send a text to a running node and follow it to its end."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cosyedge.cli.options import ConfigOption, JsonOption

if TYPE_CHECKING:
    from cosyedge.adapters.mqtt.visit import Visitor
    from cosyedge.cli.broker import Reach
    from cosyedge.config import Settings

ANSWER_DEADLINE_S = 10.0
# Long enough for an announcement that waits out its time to live and is then spoken.
END_DEADLINE_S = 900.0
ENDS = {"finished", "partial", "failed", "expired", "cancelled", "suppressed"}
NEVER_ACCEPTED = {"rejected", "duplicate", "coalesced"}
COLOURS = {"finished": "green", "accepted": "cyan", "started": "cyan", "resumed": "cyan"}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("announce")(announce)


def announce(
    text: Annotated[str, typer.Argument(help="The text to announce.")],
    class_: Annotated[
        str | None,
        typer.Option(
            "--class", help="background, low, normal, high, urgent or emergency; by its own topic."
        ),
    ] = None,
    zone: Annotated[str | None, typer.Option(help="A zone of the node; all for every one.")] = None,
    node: Annotated[str | None, typer.Option(help="The node. Default: this box's.")] = None,
    host: Annotated[str | None, typer.Option(help="The broker. Default: the settings'.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The broker's port.")] = None,
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> int:
    """Send a text to a running node and show what becomes of it, until its last event.

    Exit status 0 when it was spoken, 1 when it was refused, failed, expired or cancelled.

    \b
    Examples:
      cosyedge announce "The washing machine is done."
      cosyedge announce --class urgent --zone kitchen "The oven is still on."
    """
    from cosyedge.cli.broker import Reach
    from cosyedge.config import load_settings

    if not text.strip():
        raise typer.BadParameter("the text is empty")
    settings = load_settings(config)
    target = Target(settings.node.base, node or settings.node.name, zone, class_)
    _check(target)
    return asyncio.run(_follow(settings, Reach(host, port), target, text, as_json))


@dataclass(frozen=True, slots=True)
class Target:
    """Whom the announcement is for."""

    base: str
    node: str
    zone: str | None
    class_: str | None

    @property
    def topic(self) -> str:
        """Where it is published."""
        scope = ["zone", self.zone] if self.zone else []
        tail = [self.class_] if self.class_ else []
        return "/".join([self.base, self.node, *scope, "say", *tail])


def _check(target: Target) -> None:
    from cosyedge.core.announcement import CLASSES
    from cosyedge.wire.topics import valid_name

    if target.class_ is not None and target.class_ not in CLASSES:
        raise typer.BadParameter(f"--class is one of {', '.join(CLASSES)}")
    if target.zone not in (None, "all") and not valid_name(str(target.zone)):
        raise typer.BadParameter(f"no zone can be called {target.zone!r}")
    if not valid_name(target.node):
        raise typer.BadParameter(f"no node can be called {target.node!r}")


async def _follow(
    settings: "Settings", reach: "Reach", target: Target, text: str, as_json: bool
) -> int:
    from cosyedge.adapters.mqtt.visit import visiting
    from cosyedge.cli.broker import visitor_settings
    from cosyedge.service.ports import Outgoing
    from cosyedge.wire.topics import Filter

    id = f"cli-{secrets.token_hex(5)}"
    payload = json.dumps({"text": text, "id": id}, ensure_ascii=False).encode()
    loop = asyncio.get_running_loop()
    async with visiting(visitor_settings(settings, reach)) as visitor:
        await visitor.subscribe([Filter(f"{target.base}/{target.node}/event", 1)])
        began_at = loop.time()
        await visitor.publish(Outgoing(target.topic, payload))
        async for event in _events(visitor, id, target.node):
            _show(event, (loop.time() - began_at) * 1000, as_json)
            if event["event_type"] in ENDS | NEVER_ACCEPTED:
                return 0 if event["event_type"] == "finished" else 1
    return 1


async def _events(visitor: "Visitor", id: str, node: str) -> AsyncIterator[dict[str, Any]]:
    """Yield the events of one id. Raises OutputFailure when none comes in time."""
    from cosyedge.core.errors import OutputFailure

    loop = asyncio.get_running_loop()
    deadline = loop.time() + ANSWER_DEADLINE_S
    heard = visitor.messages()
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                event = json.loads((await anext(heard)).payload)
        except TimeoutError as error:
            raise OutputFailure(
                "broker_unavailable",
                f"node {node} says nothing about it: is it running, under this name, here?",
            ) from error
        if event.get("id") == id:
            deadline = loop.time() + END_DEADLINE_S
            yield event


def _show(event: dict[str, Any], at_ms: float, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(event, ensure_ascii=True))
        return
    from rich.console import Console
    from rich.text import Text

    kind = str(event["event_type"])
    words = [str(event[key]) for key in ("reason", "message", "field") if event.get(key)]
    words += [f"{name} {value:.0f}" for name, value in (event.get("timings") or {}).items()]
    words += ["cached"] if event.get("cached") else []
    words += _degraded(event)
    words += [f"warning {warning}" for warning in event.get("warnings", ())]
    line = Text(f"{at_ms:7.0f} ms  ")
    line.append(f"{kind:<12}", COLOURS.get(kind, "yellow"))
    line.append(", ".join(words))
    Console(highlight=False).print(line, soft_wrap=True)


def _degraded(event: dict[str, Any]) -> list[str]:
    if not event.get("degraded"):
        return []
    reason = event.get("degraded_reason")
    return [f"degraded {event['degraded']}" + (f" ({reason})" if reason else "")]
