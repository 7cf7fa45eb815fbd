"""The small parts of a session: back-off, versions, packets, dialling."""

import socket

import pytest

from cosyedge.adapters.mqtt.backoff import Backoff
from cosyedge.adapters.mqtt.dial import Dialer
from cosyedge.adapters.mqtt.packets import PublishProperties, packet_bytes
from cosyedge.adapters.mqtt.reasons import BrokerRefusal
from cosyedge.adapters.mqtt.versions import VersionChoice
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Outgoing
from tests.mqtt.rig import settings
from tests.support.broker import Broker

HUNG_UP = OutputFailure("broker_unavailable", "hung up")


def test_pauses_double_up_to_the_longest() -> None:
    backoff = Backoff(1, 60, chance=lambda: 1.0)
    assert [backoff.next_s() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_pauses_are_spread_and_never_below_the_shortest() -> None:
    assert Backoff(1, 60, chance=lambda: 0.0).next_s() == 1
    late = Backoff(1, 60, chance=lambda: 0.0)
    assert [late.next_s() for _ in range(8)][-1] == 30


def test_a_long_life_starts_pauses_over() -> None:
    backoff = Backoff(1, 60, chance=lambda: 1.0)
    for _ in range(5):
        backoff.next_s()
    backoff.lost_after(3600)
    assert backoff.next_s() == 1


def test_attempts_go_on_for_ever() -> None:
    backoff = Backoff(1, 60, chance=lambda: 1.0)
    assert [backoff.next_s() for _ in range(5000)][-1] == 60


def test_three_short_lives_in_a_row_are_a_contest() -> None:
    backoff = Backoff(1, 60, chance=lambda: 1.0)
    for lived_s in (1, 1):
        backoff.lost_after(lived_s)
    assert not backoff.is_contested
    backoff.lost_after(1)
    assert backoff.is_contested
    backoff.lost_after(100)
    assert not backoff.is_contested


def test_restarts_of_a_broker_are_no_contest() -> None:
    backoff = Backoff(1, 60, chance=lambda: 1.0)
    for _ in range(5):
        backoff.lost_after(1)
        backoff.unreachable()
        assert not backoff.is_contested


def test_a_fixed_version_is_kept() -> None:
    choice = VersionChoice("5")
    assert not choice.refused(BrokerRefusal(0x84, "CONNACK"))
    assert choice.next() == "5"


def test_versions_take_turns_while_nobody_answers() -> None:
    choice = VersionChoice("auto")
    seen = []
    for _ in range(8):
        seen.append(choice.next())
        choice.refused(HUNG_UP)
    assert seen == ["5", "5", "3.1.1", "3.1.1"] * 2


def test_a_wrong_password_is_no_question_of_versions() -> None:
    choice = VersionChoice("auto")
    for _ in range(5):
        assert not choice.refused(BrokerRefusal(0x86, "CONNACK"))
    assert choice.next() == "5"


@pytest.mark.parametrize(
    "message",
    [
        Outgoing("a", b""),
        Outgoing("a" * 200, b"x" * 70_000, expiry_s=0.1),
        Outgoing("ä", b"x", content_type="audio/wav", correlation=b"\0" * 300),
        Outgoing("a", b"x", properties=(("id", "ü" * 64), ("rate", "22050"))),
    ],
)
def test_properties_are_packed_as_paho_reads_them(message: Outgoing) -> None:
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.properties import Properties

    packed = PublishProperties(message).pack()
    read = Properties(PacketTypes.PUBLISH)
    _, size = read.unpack(packed)
    assert size == len(packed)
    assert getattr(read, "ContentType", None) == message.content_type
    assert getattr(read, "CorrelationData", None) == message.correlation
    assert tuple(getattr(read, "UserProperty", ())) == message.properties
    if message.expiry_s is not None:
        assert read.MessageExpiryInterval == max(1, round(message.expiry_s))
    topic = message.topic.encode()
    exact = 1 + 4 + 2 + len(topic) + 2 + len(packed) + len(message.payload)
    assert exact <= packet_bytes(message, PublishProperties(message)) <= exact + 4


async def test_the_line_does_not_wait_for_more_to_send(broker: Broker) -> None:
    line = await Dialer(settings(broker.port)).dial()
    try:
        assert line.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        assert not line.sock.getblocking()
    finally:
        line.sock.close()
