"""Every topic of the contract as data, with its QoS and retain flag; build and parse them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from cosyedge.core.announcement import CLASSES
from cosyedge.core.errors import Refusal

NAME = re.compile(r"[a-z0-9_-]{1,32}")
RESERVED_NAMES = frozenset({"all", "group", "job"})
URGENT_CLASSES = ("urgent", "emergency")
HOMEASSISTANT_STATUS = "homeassistant/status"
FIELDS_OF_ROUTE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Route:
    """One kind of topic below ``<base>/<node>``; ``{class}`` and its like are levels.

    ``scopes`` says where else it may stand: ``zone`` below ``zone/<zone>``, ``all`` below
    ``<base>/all``. ``classed`` commands exist a second time with ``/<class>`` behind them.
    """

    path: str
    direction: Literal["in", "out"]
    payload: str
    qos: int = 1
    retain: bool = False
    scopes: tuple[str, ...] = ()
    classed: bool = False

    @property
    def word(self) -> str:
        """Its first level: the command's name."""
        return self.path.split("/", 1)[0]


ROUTES: tuple[Route, ...] = (
    Route("say", "in", "text, or an announcement", scopes=("zone", "all"), classed=True),
    Route("cancel", "in", "what to cancel: id, zone, class, or all", classed=True),
    Route("skip", "in", "optional zone: end what plays"),
    Route("pause", "in", "optional zone: hold what plays"),
    Route("resume", "in", "optional zone: go on"),
    Route("replay", "in", "optional zone: say the last one again, under a new id"),
    Route("prefetch", "in", "texts to synthesize without a sound"),
    Route("set/{setting}", "in", "a number, ON or OFF, or a word", scopes=("zone",)),
    Route("chime", "in", "Home Assistant's siren form, ON or OFF (not supported yet)"),
    Route("canary", "in", "the node's own probe; nobody else writes it", qos=0),
    Route("request/{command}", "in", "a request, answered on response"),
    Route("availability", "out", "online or offline", retain=True),
    Route("info", "out", "version, schema, voices, zones, formats, limits", retain=True),
    Route(
        "state",
        "out",
        "idle, synthesizing, playing, paused, degraded or stopped; who has which zone; the queue",
        retain=True,
    ),
    Route("state/{setting}", "out", "the twin of set", retain=True, scopes=("zone",)),
    Route("health", "out", "process, engine, cache, queue, faults; every 30 s", retain=True),
    Route("event", "out", "one event"),
    Route("response/{command}", "out", "the answer to a request"),
    Route("audio/{zone}/{id}", "out", "the whole clip of one utterance"),
    Route("audio/{zone}/{id}/start", "out", "several clips follow"),
    Route("audio/{zone}/{id}/{seq}", "out", "one clip that stands by itself"),
    Route("audio/{zone}/{id}/end", "out", "all clips were sent"),
    Route("audio/{zone}/{id}/stop", "out", "the announcement was cut"),
)

COMMANDS: dict[str, Route] = {route.word: route for route in ROUTES if route.direction == "in"}
_WORDS = frozenset(route.word for route in ROUTES) | {"zone"}


@dataclass(frozen=True, slots=True)
class CommandTopic:
    """A topic that commands: ``name`` is its word, ``argument`` the setting or request named.

    ``class_name`` is set by ``say/<class>`` and ``cancel/<class>``; ``everyone`` by
    ``<base>/all``.
    """

    name: str
    zone: str | None = None
    class_name: str | None = None
    argument: str | None = None
    everyone: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """One subscription of ours."""

    topic: str
    qos: int


def valid_name(name: str) -> bool:
    """Whether a node or a zone may be called so."""
    return NAME.fullmatch(name) is not None and name not in RESERVED_NAMES


@lru_cache(maxsize=512)
def parse(base: str, node: str, topic: str) -> CommandTopic | None:
    """Read a topic; None where it is no command for this node.

    Raises Refusal: unknown_zone for a level that no zone can be called, invalid_value for a
    class that does not exist.
    """
    if not topic.startswith(f"{base}/"):
        return None
    target, *levels = topic[len(base) + 1 :].split("/")
    if target not in (node, "all") or not levels:
        return None
    scope, zone = ("all" if target == "all" else ""), None
    if levels[0] == "zone" and not scope and len(levels) > 2:
        scope, zone, levels = "zone", levels[1], levels[2:]
    route = COMMANDS.get(levels[0])
    if route is None or (scope and scope not in route.scopes):
        return None
    class_name, argument = _tail(route, levels)
    if len(levels) != 1 + (class_name is not None) + (argument is not None):
        return None
    if zone is not None and zone != "all" and not valid_name(zone):
        raise Refusal("unknown_zone", "no zone can be called so", field="zone")
    if class_name is not None and class_name not in CLASSES:
        raise Refusal("invalid_value", "no such class in the topic", field="class")
    return CommandTopic(route.word, zone, class_name, argument, scope == "all")


def _tail(route: Route, levels: list[str]) -> tuple[str | None, str | None]:
    tail = levels[1] if len(levels) > 1 else None
    if route.classed:
        return tail, None
    return None, tail if "{" in route.path else None


@dataclass(frozen=True, slots=True)
class Topics:
    """All topics of one node."""

    base: str
    node: str

    def of(self, path: str) -> str:
        """A topic below the node: ``of("state")``, ``of("state/volume")``."""
        return f"{self.base}/{self.node}/{path}"

    def state(self, setting: str, zone: str | None = None) -> str:
        """Where a setting's value is told."""
        return self.of(f"state/{setting}" if zone is None else f"zone/{zone}/state/{setting}")

    def response(self, command: str) -> str:
        """Where a request is answered."""
        return self.of(f"response/{command}")

    def audio(self, zone: str, id: str, part: str | int | None = None) -> str:
        """A whole clip, or with ``part`` start, a sequence number, end or stop."""
        clip = self.of(f"audio/{zone}/{id}")
        return clip if part is None else f"{clip}/{part}"

    def parse(self, topic: str) -> CommandTopic | None:
        """See :func:`parse`."""
        return parse(self.base, self.node, topic)

    def filters(self, session: Literal["normal", "urgent", "single"]) -> tuple[Filter, ...]:
        """The subscriptions of a session, none of which overlap: a broker may deliver a
        message once for each filter that it matches."""
        if session == "urgent":
            return tuple(self._classed(URGENT_CLASSES))
        calm = tuple(name for name in CLASSES if name not in URGENT_CLASSES)
        classes = tuple(CLASSES) if session == "single" else calm
        return (*self._plain(), *self._classed(classes))

    def _plain(self) -> Iterator[Filter]:
        for route in COMMANDS.values():
            path = FIELDS_OF_ROUTE.sub("+", route.path)
            for prefix in self._prefixes(route):
                if route.word != "canary":
                    yield Filter(f"{prefix}/{path}", route.qos)

    def _classed(self, classes: tuple[str, ...]) -> Iterator[Filter]:
        for route in COMMANDS.values():
            if route.classed:
                for prefix in self._prefixes(route):
                    for name in classes:
                        yield Filter(f"{prefix}/{route.path}/{name}", route.qos)

    def _prefixes(self, route: Route) -> Iterator[str]:
        yield f"{self.base}/{self.node}"
        if "zone" in route.scopes:
            yield f"{self.base}/{self.node}/zone/+"
        if "all" in route.scopes:
            yield f"{self.base}/all"


def check_response_topic(topic: str, base: str) -> None:
    """Raise Refusal("forbidden_topic") unless an answer may be published there."""
    levels = topic.split("/")
    own = topic.startswith(f"{base}/") and _is_ours(topic[len(base) + 1 :].split("/"))
    if (
        not topic
        or len(topic.encode()) > 256
        or len(levels) > 8
        or not topic.isprintable()
        or topic.startswith("$")
        or "+" in topic
        or "#" in topic
        or levels[0] == "homeassistant"
        or own
    ):
        raise Refusal("forbidden_topic", "the response topic is not allowed", field="reply_to")


def _is_ours(levels: list[str]) -> bool:
    if levels[0] == "all":
        return True
    return len(levels) > 1 and levels[1] in _WORDS
