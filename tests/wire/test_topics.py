"""Topics: built, parsed, granted, subscribed to; and where an answer may go."""

import itertools
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.announcement import CLASSES
from cosyedge.core.errors import Refusal
from cosyedge.wire.grants import Grant, GrantPolicy, decide_priority
from cosyedge.wire.topics import (
    COMMANDS,
    ROUTES,
    CommandTopic,
    Topics,
    check_response_topic,
    parse,
    valid_name,
)

HALL = Topics("cosyedge", "hall")


def matches(filter: str, topic: str) -> bool:
    """MQTT 3.1.1 §4.7, without #."""
    pairs = itertools.zip_longest(filter.split("/"), topic.split("/"))
    return all(want in ("+", have) for want, have in pairs if have is not None or want != "+") and (
        filter.count("/") == topic.count("/")
    )


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("cosyedge/hall/say", CommandTopic("say")),
        ("cosyedge/hall/say/emergency", CommandTopic("say", class_name="emergency")),
        ("cosyedge/hall/zone/kitchen/say", CommandTopic("say", zone="kitchen")),
        ("cosyedge/hall/zone/k/say/low", CommandTopic("say", zone="k", class_name="low")),
        ("cosyedge/all/say", CommandTopic("say", everyone=True)),
        ("cosyedge/all/say/high", CommandTopic("say", class_name="high", everyone=True)),
        ("cosyedge/hall/cancel/urgent", CommandTopic("cancel", class_name="urgent")),
        ("cosyedge/hall/skip", CommandTopic("skip")),
        ("cosyedge/hall/prefetch", CommandTopic("prefetch")),
        ("cosyedge/hall/set/volume", CommandTopic("set", argument="volume")),
        ("cosyedge/hall/zone/k/set/mute", CommandTopic("set", zone="k", argument="mute")),
        ("cosyedge/hall/chime", CommandTopic("chime")),
        ("cosyedge/hall/request/ping", CommandTopic("request", argument="ping")),
        ("cosyedge/other/say", None),
        ("cosyedge/hall", None),
        ("cosyedge/hall/", None),
        ("cosyedge/hall/event", None),
        ("cosyedge/hall/state/volume", None),
        ("cosyedge/hall/say/low/more", None),
        ("cosyedge/hall/skip/now", None),
        ("cosyedge/all/skip", None),
        ("cosyedge/all/zone/k/say", None),
        ("cosyedge/hall/zone/k/skip", None),
        ("cosyedgex/hall/say", None),
        ("homeassistant/status", None),
    ],
)
def test_topic_is_read(topic: str, expected: CommandTopic | None) -> None:
    assert HALL.parse(topic) == expected


def test_base_may_have_two_levels() -> None:
    assert parse("site/speech", "hall", "site/speech/hall/say") == CommandTopic("say")


@pytest.mark.parametrize("zone", ["Kitchen", "küche", "", "group", "a" * 33, "a b", "\x1b"])
def test_impossible_zone_is_refused_by_name(zone: str) -> None:
    with pytest.raises(Refusal) as caught:
        HALL.parse(f"cosyedge/hall/zone/{zone}/say")
    assert (caught.value.code, caught.value.field) == ("unknown_zone", "zone")


def test_unknown_class_in_a_topic_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        HALL.parse("cosyedge/hall/say/loud")
    assert (caught.value.code, caught.value.field) == ("invalid_value", "class")


@given(st.text(max_size=40))
def test_any_topic_is_read_refused_or_not_ours(rest: str) -> None:
    with suppress(Refusal):
        HALL.parse(f"cosyedge/hall/{rest}")


def _commands() -> list[str]:
    """Every command topic there is, with names filled in."""
    found = []
    for route in COMMANDS.values():
        path = route.path.replace("{setting}", "volume").replace("{command}", "ping")
        prefixes = [HALL.of("")[:-1]]
        prefixes += ["cosyedge/hall/zone/kitchen"] if "zone" in route.scopes else []
        prefixes += ["cosyedge/all"] if "all" in route.scopes else []
        for prefix in prefixes:
            found.append(f"{prefix}/{path}")
            found += [f"{prefix}/{path}/{name}" for name in CLASSES if route.classed]
    return found


@pytest.mark.parametrize("sessions", [("single",), ("normal", "urgent")])
def test_each_command_is_subscribed_to_exactly_once(sessions: tuple[str, ...]) -> None:
    filters = [each for name in sessions for each in HALL.filters(name)]  # type: ignore[arg-type]
    for topic in _commands():
        count = sum(matches(each.topic, topic) for each in filters)
        assert count == (0 if topic.endswith("/canary") else 1), topic


def test_urgent_classes_are_heard_by_the_urgent_session_alone() -> None:
    urgent = {each.topic.rsplit("/", 1)[1] for each in HALL.filters("urgent")}
    assert urgent == {"urgent", "emergency"}


def test_no_topic_has_more_than_six_slashes() -> None:
    for route in ROUTES:
        scoped = f"site/cosyedge/hall/{route.path}"
        assert scoped.count("/") <= 6 or "audio" in route.path
        assert f"cosyedge/hall/zone/z/{route.path}".count("/") <= 6 or not route.scopes
        assert f"cosyedge/hall/{route.path}".count("/") <= 6


def test_commands_are_never_retained_and_states_are() -> None:
    for route in ROUTES:
        if route.direction == "in":
            assert not route.retain
    assert {route.word for route in ROUTES if route.retain} == {
        "availability",
        "info",
        "state",
        "health",
    }


@pytest.mark.parametrize(
    ("name", "valid"),
    [("hall-2_b", True), ("a" * 32, True), ("all", False), ("job", False), ("A", False)],
)
def test_names_of_nodes_and_zones(name: str, valid: bool) -> None:
    assert valid_name(name) is valid


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "a/+/b",
        "a/#",
        "$SYS/x",
        "$share/g/a",
        "a\x00b",
        "a\x1bb",
        "x" * 257,
        "/".join("a" * 9),
        "cosyedge/hall/say",
        "cosyedge/other/say/emergency",
        "cosyedge/all/say",
        "cosyedge/hall/zone/k/say",
        "cosyedge/hall/availability",
        "cosyedge/hall/audio/z/1",
        "cosyedge/hall/canary",
        "homeassistant/sensor/x/config",
    ],
)
def test_an_answer_may_not_go_there(topic: str) -> None:
    with pytest.raises(Refusal) as caught:
        check_response_topic(topic, "cosyedge")
    assert caught.value.code == "forbidden_topic"


@pytest.mark.parametrize("topic", ["answers/1", "cosyedge/replies/42", "/x", "cosyedgex/hall/say"])
def test_an_answer_may_go_there(topic: str) -> None:
    check_response_topic(topic, "cosyedge")


@pytest.mark.parametrize(
    ("topic", "grant"),
    [
        (CommandTopic("say"), Grant(160, 100)),
        (CommandTopic("say", class_name="low"), Grant(60, 60)),
        (CommandTopic("say", class_name="urgent"), Grant(200, 200)),
        (CommandTopic("say", class_name="emergency"), Grant(255, 240)),
        (CommandTopic("cancel"), Grant(160, 100)),
    ],
)
def test_the_topic_grants(topic: CommandTopic, grant: Grant) -> None:
    assert GrantPolicy().of(topic) == grant


def test_grants_of_plain_topics_are_configurable() -> None:
    assert GrantPolicy("low", "normal").of(CommandTopic("say")) == Grant(60, 60)
    assert GrantPolicy("emergency", "high").of(CommandTopic("say")) == Grant(255, 160)


@pytest.mark.parametrize(
    ("priority", "class_name", "expected"),
    [
        (None, None, (100, False)),
        (30, None, (30, False)),
        (None, "background", (16, False)),
        (None, "emergency", (160, True)),
        (255, None, (160, True)),
        (30, "emergency", (30, False)),
        (160, None, (160, False)),
    ],
)
def test_a_payload_lowers_and_never_raises(
    priority: int | None, class_name: str | None, expected: tuple[int, bool]
) -> None:
    grant = GrantPolicy().of(CommandTopic("say"))
    assert decide_priority(grant, priority=priority, class_name=class_name) == expected


@given(st.none() | st.integers(0, 255), st.none() | st.sampled_from(list(CLASSES)))
def test_nothing_exceeds_its_grant(priority: int | None, class_name: str | None) -> None:
    for name in (None, *CLASSES):
        grant = GrantPolicy().of(CommandTopic("say", class_name=name))
        decided, _ = decide_priority(grant, priority=priority, class_name=class_name)
        assert decided <= grant.most
