"""A scripted broker that answers what no good broker would: the session outlives it all."""

import asyncio
import random
import time

import pytest

from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Outgoing
from tests.mqtt.rig import TOPICS, Node, running, settings, until
from tests.support.fake_broker import (
    CONNACK,
    DISCONNECT,
    PUBACK,
    PUBLISH,
    SUBACK,
    FakeBroker,
    Packet,
    Script,
    fake_broker,
    packet,
    string,
)


async def _outcome(node: Node, topic: str = "out") -> str:
    try:
        await node.broker.publish(Outgoing(topic, b"x"), deadline_s=10)
    except OutputFailure as failure:
        return failure.code
    return "taken"


async def test_every_puback_code_is_survived_on_one_connection() -> None:
    codes = iter(range(256))

    def puback(got: Packet) -> bytes:
        if got.topic != "out":
            return packet(PUBACK, got.packet_id)
        return packet(PUBACK, got.packet_id + bytes([next(codes), 0]))

    async with fake_broker(Script(puback=puback)) as fake, running(settings(fake.port)) as node:
        outcomes = [await _outcome(node) for _ in range(256)]
        assert outcomes == ["taken"] * 0x80 + ["publish_refused"] * 0x80
        assert len(fake.connections) == 1
        assert node.broker.connected


async def test_a_malformed_puback_costs_the_connection_not_the_session() -> None:
    bad = [True]

    def puback(got: Packet) -> bytes:
        if got.topic == "out" and bad:
            bad.clear()
            return packet(PUBACK, b"\0")
        return packet(PUBACK, got.packet_id)

    async with fake_broker(Script(puback=puback)) as fake, running(settings(fake.port)) as node:
        assert await _outcome(node) == "taken"
        assert len(fake.connections) == 2
        await until(lambda: node.broker.connected)


async def test_a_puback_for_nobody_is_ignored() -> None:
    async with fake_broker() as fake, running(settings(fake.port)) as node:
        fake.send(packet(PUBACK, b"\xff\xff"))
        assert await _outcome(node) == "taken"
        assert len(fake.connections) == 1


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_every_connack_code_is_survived_and_told(version: str) -> None:
    codes = iter(range(1, 256))

    def connack(_got: Packet) -> bytes:
        code = next(codes, 0)
        return packet(CONNACK, bytes([0, code]) + (b"\0" if version == "5" else b""))

    quick = settings(0, version=version, reconnect_min_s=0.001, reconnect_max_s=0.002)
    async with fake_broker(Script(connack=connack, suback=_suback(version))) as fake:
        quick = settings(fake.port, version=version, reconnect_min_s=0.001, reconnect_max_s=0.002)
        async with running(quick, online=False) as node:
            faults = set()
            while len(fake.connections) < 256:
                faults.add(node.broker.status().fault)
                await asyncio.sleep(0.001)
        assert {"not_authorized", "broker_unavailable"} <= faults


def _suback(version: str):  # type: ignore[no-untyped-def]
    if version == "5":
        return Script().suback
    return lambda got: packet(SUBACK, got.packet_id + b"\1" * 8)


async def test_every_disconnect_code_is_survived() -> None:
    quick = {"reconnect_min_s": 0.001, "reconnect_max_s": 0.002}
    async with fake_broker() as fake, running(settings(fake.port, **quick)) as node:
        for code in range(256):
            online = node.online
            fake.send(packet(DISCONNECT, bytes([code, 0])))
            await until(lambda online=online: node.online > online)
        assert len(fake.connections) == 257


async def test_a_refused_subscription_is_told_and_the_others_work() -> None:
    def suback(got: Packet) -> bytes:
        answer = bytearray(Script().suback(got))
        if b"/request/" in got.body:
            answer[-1] = 0x87
        return bytes(answer)

    async with fake_broker(Script(suback=suback)) as fake, running(settings(fake.port)) as node:
        status = node.broker.status()
        assert status.connected
        assert status.fault == "not_authorized"
        assert "refused subscriptions" in (status.fault_message or "")


@pytest.mark.parametrize("code", range(3, 256, 11))
async def test_unknown_suback_codes_count_as_refused(code: int) -> None:
    def suback(got: Packet) -> bytes:
        answer = bytearray(Script().suback(got))
        if b"/say\x21" in got.body:
            answer[5] = code
        return bytes(answer)

    async with fake_broker(Script(suback=suback)) as fake, running(settings(fake.port)) as node:
        assert node.broker.status().fault == "not_authorized"
        assert len(fake.connections) == 1


async def test_no_oversize_message_ever_leaves() -> None:
    limit = packet(CONNACK, b"\0\0\x05\x27" + (1000).to_bytes(4, "big"))
    script = Script(connack=lambda _: limit)
    async with fake_broker(script) as fake, running(settings(fake.port)) as node:
        assert node.broker.max_packet_bytes == 1000
        with pytest.raises(OutputFailure) as caught:
            await node.broker.publish(Outgoing("out", b"x" * 1000))
        assert caught.value.code == "too_large"
        await node.broker.publish(Outgoing("out", b"x" * 900))
        assert len(fake.published("out")) == 1
        assert len(fake.connections) == 1


async def test_a_broker_without_qos_1_or_retain_is_honoured() -> None:
    poor = packet(CONNACK, b"\0\0\x04\x24\0\x25\0")
    async with (
        fake_broker(Script(connack=lambda _: poor)) as fake,
        running(settings(fake.port), online=False) as node,
    ):
        await node.broker.publish(Outgoing("out", b"x", qos=1, retain=True))
        await until(lambda: fake.published("out"))
        sent = fake.published("out")[0]
    assert (sent.qos, sent.flags & 1) == (0, 0)


async def test_the_brokers_receive_maximum_is_kept() -> None:
    held: list[Packet] = []

    def puback(got: Packet) -> bytes:
        if got.topic != "out":
            return packet(PUBACK, got.packet_id)
        held.append(got)
        return b""

    three = packet(CONNACK, b"\0\0\x03\x21\0\3")
    script = Script(connack=lambda _: three, puback=puback)
    # The canary needs a place in the window too, hence a long period.
    async with (
        fake_broker(script) as fake,
        running(settings(fake.port, canary_period_s=60)) as node,
    ):
        tasks = [asyncio.create_task(_outcome(node)) for _ in range(7)]
        for done in range(7):
            await until(lambda done=done: len(held) == min(7, done + 3))
            fake.send(packet(PUBACK, held[done].packet_id))
            await until(lambda done=done: sum(task.done() for task in tasks) == done + 1)
        assert {task.result() for task in tasks} == {"taken"}


async def test_a_message_that_breaks_each_connection_is_given_up() -> None:
    fakes: list[FakeBroker] = []

    def puback(got: Packet) -> bytes:
        if got.topic == "poison":
            fakes[0].hang_up()
        return packet(PUBACK, got.packet_id)

    async with fake_broker(Script(puback=puback)) as fake:
        fakes.append(fake)
        # Cut before the PUBACK can be written: the answer follows the end of the connection.
        fake.script.puback = lambda got: b"" if got.topic == "poison" else puback(got)
        async with running(settings(fake.port)) as node:
            poison = asyncio.create_task(_outcome(node, "poison"))
            for number in range(1, 4):
                await until(lambda number=number: len(fake.published("poison")) == number)
                fake.hang_up()
            assert await poison == "broker_unavailable"
            assert len(fake.published("poison")) == 3
            await until(lambda: node.broker.connected)
            assert await _outcome(node) == "taken"


async def test_garbage_of_any_kind_costs_a_connection_at_most() -> None:
    chance = random.Random(5)
    quick = {"reconnect_min_s": 0.001, "reconnect_max_s": 0.002}
    async with fake_broker() as fake, running(settings(fake.port, **quick)) as node:
        for _ in range(300):
            garbage = chance.randbytes(chance.choice((1, 2, 5, 40, 3000)))
            fake.send(garbage)
            # A length that promises more than ever comes is ended by the silence after it.
            fake.hang_up()
            connections = len(fake.connections)
            await until(lambda was=connections: len(fake.connections) > was)
        await until(lambda: node.broker.connected)


async def test_damaged_packets_of_every_kind_cost_a_connection_at_most() -> None:
    chance = random.Random(6)
    quick = {"reconnect_min_s": 0.001, "reconnect_max_s": 0.002}
    kinds = [kind << 4 for kind in range(16)]
    async with fake_broker() as fake, running(settings(fake.port, **quick)) as node:
        for kind in kinds * 10:
            body = chance.randbytes(chance.choice((0, 1, 2, 3, 4, 9, 200)))
            fake.send(packet(kind | chance.randrange(16), body))
            fake.hang_up()
            connections = len(fake.connections)
            await until(lambda was=connections: len(fake.connections) > was)
        await until(lambda: node.broker.connected)


async def test_a_web_server_on_the_port_is_a_fault_not_a_crash() -> None:
    script = Script(connack=lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n<html>")
    async with fake_broker(script) as fake, running(settings(fake.port), online=False) as node:
        await until(lambda: len(fake.connections) > 2)
        assert node.broker.status().fault == "protocol_error"
        fake.script.connack = Script().connack
        await until(lambda: node.broker.connected)
        assert node.broker.status().fault is None


async def test_a_broker_that_never_answers_is_left_at_the_deadline() -> None:
    script = Script(connack=lambda _: b"")
    wanted = {"connect_timeout_s": 0.2}
    async with (
        fake_broker(script) as fake,
        running(settings(fake.port, **wanted), online=False) as node,
    ):
        await until(lambda: len(fake.connections) > 1)
        assert node.broker.status().fault == "broker_unavailable"
        fake.script.connack = Script().connack
        await until(lambda: node.broker.connected)


async def test_a_broker_that_does_not_grant_is_left_at_the_deadline() -> None:
    script = Script(suback=lambda _: b"")
    async with (
        fake_broker(script) as fake,
        running(settings(fake.port, connect_timeout_s=0.2), online=False) as node,
    ):
        await until(lambda: len(fake.connections) > 1)
        fake.script.suback = Script().suback
        await until(lambda: node.broker.connected)


async def test_a_canary_that_is_not_answered_ends_the_connection() -> None:
    async with (
        fake_broker() as fake,
        running(settings(fake.port, canary_deadline_s=0.2)) as node,
    ):
        fake.script.puback = fake.script.echo = lambda _: b""
        await until(lambda: not node.broker.connected)
        await until(lambda: node.broker.status().fault == "broker_unavailable")
        fake.script.puback, fake.script.echo = Script().puback, Script().echo
        await until(lambda: node.broker.connected)
        assert len(fake.connections) > 1


async def test_a_foreign_canary_proves_nothing() -> None:
    forged = Script(
        echo=lambda got: (
            packet(PUBLISH, string(got.topic) + b"\0" + b"somebody:1")
            if got.topic.endswith("/canary")
            else b""
        )
    )
    async with (
        fake_broker(forged) as fake,
        running(settings(fake.port, canary_deadline_s=0.2), online=False) as node,
    ):
        await until(lambda: node.broker.status().fault == "not_authorized")
        assert not node.broker.connected
        assert node.heard == []


async def test_a_topic_that_is_no_utf8_is_acknowledged_and_dropped() -> None:
    async with fake_broker() as fake, running(settings(fake.port)) as node:
        fake.send(packet(PUBLISH | 2, b"\0\3\xff\xfe\xfd" + b"\0\7" + b"\0" + b"hello"))
        await until(
            lambda: any(each.kind == PUBACK and each.body == b"\0\7" for each in fake.packets)
        )
        fake.send(packet(PUBLISH, string(TOPICS.of("say")) + b"\0" + b"still here"))
        await until(lambda: node.payloads == [b"still here"])
        assert len(fake.connections) == 1


async def test_a_message_of_qos_2_that_nobody_asked_for_ends_the_connection() -> None:
    async with fake_broker() as fake, running(settings(fake.port)) as node:
        fake.send(packet(PUBLISH | 4, string("a") + b"\0\1\0x"))
        await until(lambda: len(fake.connections) == 2)
        await until(lambda: node.broker.connected)


async def test_a_flood_fills_the_inbox_and_no_more() -> None:
    async with fake_broker() as fake, running(settings(fake.port, inbox=50)) as node:
        flood = packet(PUBLISH, string(TOPICS.of("say")) + b"\0" + b"x" * 100) * 5000
        fake.send(flood)
        await until(lambda: node.broker.status().received == 5000)
        await until(lambda: len(node.heard) + node.broker.status().dropped == 5000)
        assert await _outcome(node) == "taken"
        assert len(fake.connections) == 1


async def test_a_flood_does_not_hold_up_the_loop() -> None:
    async with fake_broker() as fake, running(settings(fake.port, inbox=50)) as node:
        flood = packet(PUBLISH, string(TOPICS.of("say")) + b"\0" + b"x" * 20) * 20000
        fake.send(flood)
        turns = 0
        started = time.monotonic()
        while node.broker.status().received < 20000:
            await asyncio.sleep(0)
            turns += 1
        # A slice is 10 ms; the flood takes far longer than one, so other tasks get their turns.
        assert turns > (time.monotonic() - started) / 0.2


async def test_mqtt_5_connect_states_our_limits() -> None:
    wanted = {"receive_maximum": 20, "max_packet_bytes": 131072, "will_delay_s": 5}
    async with fake_broker() as fake, running(settings(fake.port, **wanted)):
        connect = fake.packets[0].body
    assert connect[:7] == b"\0\4MQTT\5"
    assert connect[7] & 2 == 0, "clean start is off"
    assert b"\x11" + (600).to_bytes(4, "big") in connect, "session expiry"
    assert b"\x21" + (20).to_bytes(2, "big") in connect, "receive maximum"
    assert b"\x27" + (131072).to_bytes(4, "big") in connect, "maximum packet size"
    assert b"\x18" + (5).to_bytes(4, "big") in connect, "will delay"


async def test_subscriptions_ask_for_no_retained_messages() -> None:
    async with fake_broker() as fake, running(settings(fake.port)):
        options = {
            each[-1]
            for got in fake.packets
            if got.kind == 0x80
            for each in _subscriptions(got.body[3:])
        }
    assert options == {0x20, 0x21}, "retain handling 2, no retain as published, QoS 0 and 1"


def _subscriptions(rest: bytes) -> list[bytes]:
    found = []
    while rest:
        size = 3 + int.from_bytes(rest[:2], "big")
        found.append(rest[:size])
        rest = rest[size:]
    return found


def _old_broker(refusal: bytes) -> Script:
    """A broker that knows 3.1.1 alone and answers 5 with ``refusal``."""

    def connack(got: Packet) -> bytes:
        return packet(CONNACK, b"\0\0") if got.body[6] == 4 else refusal

    def suback(got: Packet) -> bytes:
        count = sum(1 for _ in _subscriptions(got.body[2:]))
        return packet(SUBACK, got.packet_id + b"\1" * count)

    def echo(got: Packet) -> bytes:
        topic_bytes = int.from_bytes(got.body[:2], "big")
        payload = got.body[4 + topic_bytes :]
        return packet(PUBLISH, string(got.topic) + payload) if "canary" in got.topic else b""

    return Script(connack=connack, suback=suback, echo=echo)


@pytest.mark.parametrize("refusal", [packet(CONNACK, b"\0\1"), packet(CONNACK, b"\0\x84\0")])
async def test_3_1_1_is_spoken_at_once_where_5_is_refused(refusal: bytes) -> None:
    async with fake_broker(_old_broker(refusal)) as fake, running(settings(fake.port)) as node:
        assert node.broker.status().version == "3.1.1"
        assert len(fake.connections) == 2
        assert await _outcome(node) == "taken"


async def test_3_1_1_is_spoken_where_the_broker_hangs_up_on_5() -> None:
    script = _old_broker(b"")
    async with fake_broker(script) as fake:
        friendly = script.connack

        def connack(got: Packet) -> bytes:
            answer = friendly(got)
            if not answer:
                fake.hang_up()
            return answer

        script.connack = connack
        async with running(settings(fake.port)) as node:
            assert node.broker.status().version == "3.1.1"


async def test_a_broker_that_once_took_5_is_never_talked_down_to() -> None:
    async with fake_broker() as fake, running(settings(fake.port)) as node:
        friendly = fake.script.connack
        fake.script.connack = lambda _: b"garbage"
        fake.hang_up()
        await until(lambda: len(fake.connections) > 5)
        fake.script.connack = friendly
        await until(lambda: node.broker.connected)
        versions = {each[0].body[6] for each in fake.connections if each}
    assert versions == {5}


async def test_an_orderly_end_says_goodbye() -> None:
    async with fake_broker() as fake:
        async with running(settings(fake.port)):
            pass
        await until(lambda: fake.packets[-1].kind == DISCONNECT)
        farewell = fake.packets[-2]
    assert (farewell.topic, farewell.flags & 1) == (TOPICS.of("availability"), 1)
    assert farewell.body.endswith(b"offline")
