"""Faults of brokers, networks, permissions and certificates that users have met."""

import asyncio
import time
from pathlib import Path

import pytest

from cosyedge.adapters.mqtt import TlsFiles
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Outgoing
from tests.mqtt.rig import TOPICS, running, settings, until
from tests.support.broker import Broker
from tests.support.certificates import make_authority
from tests.support.listener import listen
from tests.support.tcp_proxy import tcp_proxy

COMMANDS_ONLY = f"""
user guest
topic readwrite x
topic write {TOPICS.of("say")}
user node
topic readwrite {TOPICS.of("availability")}
topic read {TOPICS.of("say")}
topic write out
"""
PASSWORDS = {"node": "secret", "guest": "guest"}


@pytest.mark.parametrize("persistence", [True, False])
async def test_a_broker_restart_is_outlived(persistence: bool) -> None:
    with Broker(persistence=persistence) as broker:
        async with running(settings(broker.port)) as node:
            broker.restart()
            await until(lambda: node.online == 2)
            async with listen(broker, "x") as mouth:
                mouth.publish(TOPICS.of("say"), b"after the restart")
                await until(lambda: node.payloads == [b"after the restart"])
            assert node.broker.status().session_present is persistence
            assert node.broker.status().fault is None


async def test_a_power_cut_of_the_broker_is_outlived(broker: Broker) -> None:
    async with running(settings(broker.port)) as node:
        broker.kill()
        await until(lambda: not node.broker.connected)
        pending = asyncio.create_task(node.broker.publish(Outgoing("out", b"1", retain=True)))
        broker.start()
        await pending
        await until(lambda: node.broker.connected)


async def test_a_frozen_broker_counts_as_gone_until_it_thaws(broker: Broker) -> None:
    async with running(settings(broker.port)) as node:
        broker.freeze()
        await until(lambda: not node.broker.connected)
        await until(lambda: node.broker.status().fault == "broker_unavailable")
        with pytest.raises(OutputFailure):
            await node.broker.publish(Outgoing("out", b"1"), deadline_s=0.2)
        broker.thaw()
        await until(lambda: node.broker.connected)


async def test_a_half_open_connection_is_found_by_the_canary(broker: Broker) -> None:
    async with tcp_proxy(broker.port) as proxy, running(settings(proxy.port)) as node:
        proxy.stall()
        await until(lambda: not node.broker.connected)
        proxy.flow()
        await until(lambda: node.broker.connected)
        assert proxy.connections > 1


async def test_a_reset_connection_is_made_anew_and_loses_no_publish(broker: Broker) -> None:
    async with (
        tcp_proxy(broker.port) as proxy,
        running(settings(proxy.port)) as node,
        listen(broker, "out") as ears,
    ):
        for number in range(30):
            pending = asyncio.create_task(node.broker.publish(Outgoing("out", b"%d" % number)))
            await asyncio.sleep(0)
            if number % 10 == 5:
                proxy.reset()
            await pending
        await ears.wait(lambda heard: heard.payload == b"29")
        assert {int(heard.payload) for heard in ears.heard} == set(range(30))


async def test_a_slow_line_is_no_dead_one(broker: Broker) -> None:
    """A clip that takes longer than the canary's deadline goes through on one connection."""
    async with (
        tcp_proxy(broker.port) as proxy,
        running(settings(proxy.port, canary_deadline_s=0.5)) as node,
    ):
        proxy.bytes_per_s = 400_000
        started = time.monotonic()
        await node.broker.publish(Outgoing("out", b"x" * 1_000_000), deadline_s=60)
        assert time.monotonic() - started > 1.0
        assert proxy.connections == 1
        assert node.online == 1


async def test_two_clients_with_one_id_are_told_of_each_other(broker: Broker) -> None:
    wanted = settings(broker.port)
    async with running(wanted) as one, running(wanted, online=False) as other:
        await until(
            lambda: "client_id_conflict" in (one.broker.status().fault, other.broker.status().fault)
        )


async def test_two_clients_with_one_id_are_told_of_each_other_by_3_1_1_too(
    broker: Broker,
) -> None:
    wanted = settings(broker.port, version="3.1.1")
    async with running(wanted) as one, running(wanted, online=False) as other:
        await until(
            lambda: "client_id_conflict" in (one.broker.status().fault, other.broker.status().fault)
        )


async def test_a_wrong_password_is_a_fault_that_ends_with_the_right_one() -> None:
    with Broker(passwords={"node": "other"}) as broker:
        wanted = settings(broker.port, username="node", password="secret")
        async with running(wanted, online=False) as node:
            await until(lambda: node.broker.status().fault == "not_authorized")
    with Broker(passwords={"node": "secret"}) as broker:
        async with running(settings(broker.port, username="node", password="secret")) as node:
            assert node.broker.status().fault is None


async def test_a_denied_canary_is_a_fault_and_commands_are_still_heard() -> None:
    with Broker(acl=COMMANDS_ONLY, passwords=PASSWORDS) as broker:
        wanted = settings(broker.port, username="node", password="secret", canary_deadline_s=0.2)
        async with (
            running(wanted, online=False) as node,
            listen(broker, "x", username="guest", password="guest") as mouth,
        ):
            await until(lambda: node.broker.status().fault == "not_authorized")
            assert not node.broker.connected
            assert TOPICS.of("canary") in (node.broker.status().fault_message or "")
            mouth.publish(TOPICS.of("say"), b"hello")
            await until(lambda: node.payloads == [b"hello"])
            assert node.broker.status().connections == 1


async def test_a_denied_publish_is_refused_by_name() -> None:
    with Broker(acl=COMMANDS_ONLY, passwords=PASSWORDS) as broker:
        wanted = settings(broker.port, username="node", password="secret")
        async with running(wanted, online=False) as node:
            await until(lambda: node.broker.status().state == "up")
            with pytest.raises(OutputFailure) as caught:
                await node.broker.publish(Outgoing("elsewhere", b"x"))
            assert caught.value.code == "publish_refused"
            await node.broker.publish(Outgoing("out", b"x"))


async def test_an_oversize_command_on_3_1_1_is_cut_short_and_the_next_is_heard(
    broker: Broker,
) -> None:
    async with running(settings(broker.port, version="3.1.1")) as node:
        async with listen(broker, "x") as mouth:
            mouth.publish(TOPICS.of("say"), b"x" * 3_000_000)
            mouth.publish(TOPICS.of("say"), b"next")
            await until(lambda: len(node.heard) == 2)
        assert 16384 < len(node.payloads[0]) <= 131072
        assert node.payloads[1] == b"next"
        assert node.broker.status().connections == 1
    async with running(settings(broker.port, version="3.1.1")) as node:
        await until(lambda: node.broker.connected)
        assert node.heard == [], "it was acknowledged"


async def test_an_oversize_command_on_5_is_kept_from_us(broker: Broker) -> None:
    async with running(settings(broker.port)) as node, listen(broker, "x") as mouth:
        mouth.publish(TOPICS.of("say"), b"x" * 3_000_000)
        mouth.publish(TOPICS.of("say"), b"next")
        await until(lambda: node.payloads == [b"next"])


async def test_tls_tells_when_the_certificate_ends(tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    with Broker(tls=authority.valid()) as broker:
        wanted = settings(broker.port, tls=TlsFiles(authority.certificate))
        async with running(wanted) as node:
            await node.broker.publish(Outgoing(TOPICS.of("say"), b"x" * 100_000))
            await until(lambda: node.heard)
            expires = node.broker.status().certificate_expires_at
    assert len(node.payloads[0]) == 100_000
    assert expires is not None
    assert 20 * 3600 < expires - time.time() < 24 * 3600


@pytest.mark.parametrize("kind", ["expired", "not_yet_valid"])
async def test_a_certificate_out_of_its_time_is_a_fault_until_it_is_renewed(
    tmp_path: Path, kind: str
) -> None:
    authority = make_authority(tmp_path)
    with Broker(tls=getattr(authority, kind)()) as broker:
        wanted = settings(broker.port, tls=TlsFiles(authority.certificate))
        async with running(wanted, online=False) as node:
            await until(lambda: node.broker.status().fault == "tls")
            assert "certificate" in (node.broker.status().fault_message or "")
            renewed = authority.valid()
            broker.rewrite("crt", renewed.certificate.read_text())
            broker.rewrite("key", renewed.key.read_text())
            broker.restart()
            await until(lambda: node.broker.connected)


async def test_an_authority_that_is_replaced_is_read_at_the_next_attempt(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = make_authority(tmp_path / "a"), make_authority(tmp_path / "b")
    trusted = tmp_path / "trusted.crt"
    trusted.write_text(first.certificate.read_text())
    with Broker(tls=second.valid()) as broker:
        wanted = settings(broker.port, tls=TlsFiles(trusted))
        async with running(wanted, online=False) as node:
            await until(lambda: node.broker.status().fault == "tls")
            trusted.write_text(second.certificate.read_text())
            await until(lambda: node.broker.connected)


async def test_tls_settings_that_cannot_be_read_are_a_fault_not_a_crash(
    broker: Broker, tmp_path: Path
) -> None:
    wanted = settings(broker.port, tls=TlsFiles(tmp_path / "missing.crt"))
    async with running(wanted, online=False) as node:
        await until(lambda: node.broker.status().fault == "tls")


@pytest.mark.parametrize("host", ["no-such-host.invalid", "", "a" * 300, "127.0.0.1"])
async def test_no_network_at_boot_is_waited_out(host: str) -> None:
    nobody = Broker()
    async with running(settings(nobody.port, host=host), online=False) as node:
        await until(lambda: node.broker.status().state == "backoff")
        status = node.broker.status()
        assert (status.fault, status.connected) == ("broker_unavailable", False)
