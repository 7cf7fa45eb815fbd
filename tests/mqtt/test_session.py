"""A session against a real broker: what it hears, acknowledges, publishes and survives."""

import asyncio

import pytest

from cosyedge.adapters.mqtt import MqttBroker
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Message, Outgoing
from tests.mqtt.rig import TOPICS, running, settings, until
from tests.support.broker import Broker
from tests.support.listener import Listener, listen
from tests.support.tcp_proxy import tcp_proxy

VERSIONS = pytest.mark.parametrize("version", ["5", "3.1.1"])


@VERSIONS
async def test_a_command_is_heard_with_its_topic_and_payload(broker: Broker, version: str) -> None:
    async with (
        running(settings(broker.port, version=version)) as node,
        listen(broker, "x") as mouth,
    ):
        mouth.publish(TOPICS.of("say"), "Grüße 你好".encode())
        await until(lambda: node.heard)
    message = node.heard[0]
    assert (message.topic, message.payload.decode(), message.qos, message.retain) == (
        TOPICS.of("say"),
        "Grüße 你好",
        1,
        False,
    )


async def test_mqtt_5_properties_of_a_command_are_heard(broker: Broker) -> None:
    async with running(settings(broker.port)) as node, listen(broker, "x") as mouth:
        mouth.publish(
            TOPICS.of("say"),
            b"hello",
            MessageExpiryInterval=30,
            ResponseTopic="answers/1",
            CorrelationData=b"\x00\xff",
        )
        await until(lambda: node.heard)
    message = node.heard[0]
    assert message.expiry_s == 30
    assert (message.response_topic, message.correlation) == ("answers/1", b"\x00\xff")


async def test_availability_is_online_then_offline_at_an_orderly_end(broker: Broker) -> None:
    async with listen(broker, TOPICS.of("availability")) as ears:
        async with running(settings(broker.port)):
            await ears.wait(lambda heard: heard.payload == b"online")
        await ears.wait(lambda heard: heard.payload == b"offline")
    async with listen(broker, TOPICS.of("availability")) as late:
        assert (await late.topic(TOPICS.of("availability"))).payload == b"offline"


async def test_the_will_tells_that_we_vanished(broker: Broker) -> None:
    async with listen(broker, TOPICS.of("availability")) as ears, tcp_proxy(broker.port) as proxy:
        patient = settings(proxy.port, reconnect_min_s=30.0, reconnect_max_s=60.0)
        async with running(patient):
            proxy.reset()
            await ears.wait(lambda heard: heard.payload == b"offline")


async def test_an_unacknowledged_message_comes_again_after_a_broken_connection(
    broker: Broker,
) -> None:
    async with (
        tcp_proxy(broker.port) as proxy,
        listen(broker, "x") as mouth,
        running(settings(proxy.port), acknowledges=False) as node,
    ):
        mouth.publish(TOPICS.of("say"), b"keep me")
        await until(lambda: node.heard)
        node.acknowledges = True
        proxy.reset()
        await until(lambda: len(node.heard) == 2 and node.online == 2)
        proxy.reset()
        await until(lambda: node.online == 3)
        mouth.publish(TOPICS.of("say"), b"next")
        await until(lambda: b"next" in node.payloads)
    assert node.payloads == [b"keep me", b"keep me", b"next"]


async def test_a_late_acknowledgement_of_an_old_connection_is_harmless(broker: Broker) -> None:
    async with (
        tcp_proxy(broker.port) as proxy,
        listen(broker, "x") as mouth,
        running(settings(proxy.port), acknowledges=False) as node,
    ):
        mouth.publish(TOPICS.of("say"), b"one")
        await until(lambda: node.heard)
        proxy.reset()
        await until(lambda: len(node.heard) == 2 and node.online == 2)
        node.heard[0].acknowledge()
        node.heard[1].acknowledge()
        node.heard[1].acknowledge()
        mouth.publish(TOPICS.of("say"), b"two")
        await until(lambda: node.payloads[-1] == b"two")
        assert node.online == 2


async def test_messages_of_an_outage_wait_in_the_session(broker: Broker) -> None:
    wanted = settings(broker.port)
    async with running(wanted):
        pass
    async with listen(broker, "x") as mouth:
        mouth.publish(TOPICS.of("say"), b"while you were away")
        await mouth_is_through(mouth)
    async with running(wanted) as node:
        await until(lambda: node.heard)
        assert node.broker.status().session_present
    assert node.payloads == [b"while you were away"]


async def test_the_receive_maximum_bounds_what_is_in_flight(broker: Broker) -> None:
    wanted = settings(broker.port, receive_maximum=5)
    async with running(wanted, acknowledges=False) as node, listen(broker, "x") as mouth:
        for number in range(12):
            mouth.publish(TOPICS.of("say"), b"%d" % number)
        await until(lambda: len(node.heard) == 5)
        await mouth_is_through(mouth)
        assert len(node.heard) == 5
        assert node.broker.connected
        node.acknowledges = True
        for message in node.heard[:5]:
            message.acknowledge()
        await until(lambda: len(node.heard) == 12)


async def test_a_consumer_that_acknowledges_nothing_does_not_hold_up_the_canary(
    broker: Broker,
) -> None:
    wanted = settings(broker.port, receive_maximum=1)
    async with running(wanted, acknowledges=False) as node, listen(broker, "x") as mouth:
        mouth.publish(TOPICS.of("say"), b"never acknowledged")
        await until(lambda: node.heard)
        before = node.broker.status().progressed_at
        await until(lambda: node.broker.status().progressed_at > before + 0.5)
        assert node.broker.connected
        assert node.online == 1


async def test_a_retained_command_is_marked_and_not_sent_at_each_connection(
    broker: Broker,
) -> None:
    async with listen(broker, "x") as mouth:
        mouth.publish(TOPICS.of("say"), b"old", retain=True)
        await mouth_is_through(mouth)
    async with running(settings(broker.port)) as node:
        await until(lambda: node.online == 1)
        assert node.heard == []
    async with running(settings(broker.port, client_id="other", version="3.1.1")) as node:
        await until(lambda: node.heard)
        assert node.heard[0].retain


async def test_publish_returns_after_the_broker_has_it(broker: Broker) -> None:
    async with running(settings(broker.port)) as node, listen(broker, "out/#") as ears:
        await node.broker.publish(
            Outgoing(
                "out/1",
                b"\x00clip",
                expiry_s=20.2,
                content_type="audio/wav",
                correlation=b"c",
                properties=(("id", "a"), ("rate", "22050")),
            )
        )
        heard = await ears.topic("out/1")
    assert (heard.payload, heard.content_type, heard.expiry_s) == (b"\x00clip", "audio/wav", 20)
    assert (heard.correlation, heard.properties) == (b"c", {"id": "a", "rate": "22050"})


async def test_publish_at_qos_0_returns_once_written(broker: Broker) -> None:
    async with running(settings(broker.port)) as node, listen(broker, "out/#") as ears:
        await node.broker.publish(Outgoing("out/0", b"chunk", qos=0))
        assert (await ears.topic("out/0")).payload == b"chunk"


async def test_many_publishes_at_once_keep_their_order_and_the_brokers_window(
    broker: Broker,
) -> None:
    async with running(settings(broker.port)) as node, listen(broker, "out") as ears:
        limits = node.broker.status().limits
        assert limits is not None
        assert limits.inflight == 20
        await asyncio.gather(*(node.broker.publish(Outgoing("out", b"%d" % n)) for n in range(300)))
        heard = await ears.wait(lambda heard: heard.topic == "out", count=300)
    assert [int(each.payload) for each in heard] == list(range(300))


async def test_publish_waits_for_the_connection_and_gives_up_at_its_deadline() -> None:
    broker = Broker()
    async with running(settings(broker.port), online=False) as node:
        with pytest.raises(OutputFailure) as caught:
            await node.broker.publish(Outgoing("out", b"1"), deadline_s=0.2)
        assert caught.value.code == "broker_unavailable"
        with broker:
            await node.broker.publish(Outgoing("out", b"2"), deadline_s=15.0)


async def test_too_many_waiting_publishes_are_refused_at_once() -> None:
    broker = Broker()
    async with running(settings(broker.port, max_waiting=2), online=False) as node:
        waiting = [
            asyncio.create_task(node.broker.publish(Outgoing("out", b"x"), deadline_s=30))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        with pytest.raises(OutputFailure) as caught:
            await node.broker.publish(Outgoing("out", b"y"))
        for task in waiting:
            task.cancel()
    assert caught.value.code == "queue_full"


async def test_what_the_sink_raises_ends_the_session_loudly(broker: Broker) -> None:
    def sink(_message: object) -> None:
        raise RuntimeError("a bug of ours")

    session = MqttBroker(settings(broker.port), sink)
    task = asyncio.create_task(session.run())
    await until(lambda: session.connected)
    async with listen(broker, "x") as mouth:
        mouth.publish(TOPICS.of("say"), b"boom")
        with pytest.raises(ExceptionGroup, match="unhandled errors"):
            async with asyncio.timeout(10):
                await task


async def test_two_sessions_of_one_node_share_the_work_by_class(broker: Broker) -> None:
    calm = settings(broker.port, filters=TOPICS.filters("normal"))
    urgent = settings(
        broker.port,
        client_id="cosyedge-hall-urgent",
        filters=TOPICS.filters("urgent"),
        will=None,
        birth=None,
    )
    async with running(calm) as first, running(urgent) as second, listen(broker, "x") as mouth:
        for path in ("say", "say/high", "say/urgent", "zone/k/say/emergency", "cancel"):
            mouth.publish(TOPICS.of(path), path.encode())
        await until(lambda: len(first.heard) == 3 and len(second.heard) == 2)
    assert first.payloads == [b"say", b"say/high", b"cancel"]
    assert second.payloads == [b"say/urgent", b"zone/k/say/emergency"]


async def test_no_command_is_delivered_twice_by_overlapping_subscriptions(broker: Broker) -> None:
    """Our own filters do not overlap, so that a broker has no reason to."""
    async with running(settings(broker.port)) as node, listen(broker, "x") as mouth:
        paths = ["say", "say/low", "zone/k/say", "zone/k/say/low", "cancel/low", "set/volume"]
        for path in [*paths, "zone/k/set/volume", "request/ping", "skip"]:
            mouth.publish(TOPICS.of(path), path.encode())
        mouth.publish("cosyedge/all/say/low", b"last")
        await until(lambda: b"last" in node.payloads)
    assert len(node.payloads) == len(set(node.payloads)) == 10


async def mouth_is_through(mouth: Listener) -> None:
    """Return once the broker has all that this client published before."""
    mouth.publish("x", b"through")
    await mouth.wait(lambda heard: heard.payload == b"through")
    mouth.heard.clear()


async def test_what_outruns_us_waits_in_the_kernel_and_none_of_it_is_lost() -> None:
    gate = asyncio.Event()
    heard: list[Message] = []

    async def take(message: Message) -> None:
        await gate.wait()
        heard.append(message)
        message.acknowledge()

    # A broker that keeps to no receive maximum sends all it has.
    with Broker(lines=("max_queued_messages 0", "max_inflight_messages 0")) as eager:
        ours = MqttBroker(
            settings(eager.port, inbox=20, receive_maximum=65535, canary_deadline_s=60.0), take
        )
        task = asyncio.create_task(ours.run())
        await until(lambda: ours.connected)
        async with listen(eager, TOPICS.of("say")) as mouth:
            for number in range(6000):
                mouth.publish(TOPICS.of("say"), str(number))
            await until(lambda: len(mouth.heard) == 6000, timeout=60)
            gate.set()
            await until(lambda: len(heard) == 6000, timeout=60)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert [int(message.payload) for message in heard] == list(range(6000))
    assert (ours.status().dropped, ours.status().connections) == (0, 1)
