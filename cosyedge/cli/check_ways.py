"""doctor's look at the ways in and out: the broker, its limits and grants, and the players."""

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

from cosyedge.adapters.mqtt.visit import Visitor, visiting
from cosyedge.adapters.player import PlayerOutput, PlayerSettings
from cosyedge.adapters.player_command import names_card_by_number
from cosyedge.cli.asking import ask
from cosyedge.cli.broker import Reach, visitor_settings
from cosyedge.cli.findings import Finding, bad, failure, ok, warning
from cosyedge.config import Settings, lay_out
from cosyedge.config.outputs import PlayerOutputSettings
from cosyedge.core.codes import CODES
from cosyedge.core.errors import CosyedgeError, OutputFailure
from cosyedge.wire.topics import Topics

# A minute of speech as WAV at 24 kHz; longer clips leave in chunks.
ROOMY_PACKET_BYTES = 3_000_000
NODE_DEADLINE_S = 3.0
CERTIFICATE_WARNING_S = 14 * 86400


async def check_broker(settings: Settings) -> AsyncIterator[Finding]:
    """Connect as the daemon would, read CONNACK and try its subscriptions."""
    where = f"{settings.mqtt.host}:{settings.mqtt.port}"
    try:
        async with visiting(visitor_settings(settings, Reach())) as visitor:
            yield ok("broker", f"{where}, MQTT {visitor.version}")
            for finding in _limits(visitor):
                yield finding
            yield _certificate(visitor)
            topics = Topics(settings.node.base, settings.node.name)
            await visitor.subscribe(topics.filters("single"))
            yield ok("broker grants", f"it lets us hear every command of {settings.node.name}")
            yield await _running_node(visitor, topics)
    except CosyedgeError as error:
        yield failure("broker", error)


async def _running_node(visitor: Visitor, topics: Topics) -> Finding:
    """Ask the daemon, if one runs, which pinned phrases are still missing."""
    about = f"node {topics.node}"
    try:
        told = await ask(visitor, topics, "phrases", NODE_DEADLINE_S)
    except OutputFailure:
        return ok(about, "not running here (or not answering)")
    missing = told.get("missing", [])
    fact = f"running; {len(told.get('phrases', []))} pinned phrases, {len(missing)} missing"
    if missing:
        return warning(about, fact, "they are made at idle; see cosyedge phrases")
    return ok(about, fact)


def _limits(visitor: Visitor) -> list[Finding]:
    limits = visitor.limits
    fact = f"packets of {limits.packet_bytes} bytes, {limits.inflight} in flight"
    found = [ok("broker limits", fact)]
    if limits.packet_bytes < ROOMY_PACKET_BYTES:
        mend = "raise max_packet_size there; until then long clips leave in chunks"
        found = [warning("broker limits", fact, mend)]
    if not limits.retain:
        found.append(bad("broker retain", "it keeps no retained messages", "allow retain there"))
    if limits.qos < 1:
        found.append(bad("broker QoS", "it takes QoS 0 only: messages get lost", "allow QoS 1"))
    return found


def _certificate(visitor: Visitor) -> Finding:
    expires_at = visitor.certificate_expires_at
    if expires_at is None:
        return ok("broker certificate", "no TLS")
    days = (expires_at - time.time()) / 86400
    if days * 86400 < CERTIFICATE_WARNING_S:
        return warning("broker certificate", f"it ends in {days:.0f} days", "renew it")
    return ok("broker certificate", f"good for {days:.0f} days")


async def check_players(settings: Settings) -> AsyncIterator[Finding]:
    """Open every player's device without a sound."""
    configured = lay_out(settings, sound_device=True).outputs
    players = {
        name: output
        for name, output in configured.items()
        if isinstance(output, PlayerOutputSettings)
    }
    if not players:
        yield ok("player", "no zone has one")
    for name, output in players.items():
        implied = name not in settings.outputs
        yield await _player(name, output, implied=implied)


async def _player(name: str, output: PlayerOutputSettings, *, implied: bool) -> Finding:
    player = PlayerOutput(name, PlayerSettings(**output.model_dump(exclude={"kind"})))
    fault = await player.probe()
    about = "player" if name == "player" else f"player {name}"
    if fault is None and names_card_by_number(output.device):
        told = f"{output.device} names the card by its place, which another card can take"
        return warning(about, told, "name it as aplay -L does: plughw:CARD=...")
    if fault is None:
        return ok(about, f"{player.player} opens the device")
    told = f"{fault}: {CODES[fault].meaning}"
    if implied:
        return warning(about, told, f"no sound from this box; audio goes out over MQTT. {_audio()}")
    return bad(about, told, _audio())


def _audio() -> str:
    devices = sorted(Path("/dev/snd").glob("pcm*p"))
    if not devices:
        return "There is no sound card (no /dev/snd/pcm*p)"
    if not any(os.access(device, os.R_OK | os.W_OK) for device in devices):
        return f"{devices[0]} is not ours to open: put the user into the group audio"
    return "aplay -L lists devices; name one in the output's device"
