"""The tests' own broker and listener can be relied upon."""

from tests.support.broker import Broker
from tests.support.listener import listen


async def test_a_listener_hears_what_another_one_publishes(broker: Broker) -> None:
    async with listen(broker, "a/#") as ears, listen(broker, "nothing") as mouth:
        mouth.publish("a/b", b"hello", MessageExpiryInterval=30)
        heard = await ears.topic("a/b")
    assert (heard.payload, heard.expiry_s) == (b"hello", 30)


async def test_a_persistent_broker_keeps_retained_messages_over_a_restart() -> None:
    with Broker(persistence=True) as broker:
        async with listen(broker, "kept") as mouth:
            mouth.publish("kept", b"1", retain=True)
            await mouth.topic("kept")
        broker.restart()
        async with listen(broker, "kept") as ears:
            heard = await ears.topic("kept")
    assert heard.retain


async def test_a_frozen_broker_goes_on_after_the_thaw(broker: Broker) -> None:
    async with listen(broker, "a") as ears:
        broker.freeze()
        ears.publish("a", b"late")
        broker.thaw()
        assert (await ears.topic("a")).payload == b"late"
