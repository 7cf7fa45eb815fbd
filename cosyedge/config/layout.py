"""The zones and outputs that a configuration stands for, with what it leaves out filled in."""

from collections.abc import Mapping
from dataclasses import dataclass

from cosyedge.config.outputs import MqttOutputSettings, OutputSettings, PlayerOutputSettings
from cosyedge.config.settings import DEFAULT_ZONE, Settings
from cosyedge.config.zones import ZoneSettings


@dataclass(frozen=True, slots=True)
class Layout:
    """Every zone names at least one output, and every named output is there."""

    zones: Mapping[str, ZoneSettings]
    outputs: Mapping[str, OutputSettings]
    default_zone: str


def lay_out(settings: Settings, *, sound_device: bool) -> Layout:
    """Fill in what is not configured: a zone that names no output gets all of [outputs].

    Where none is configured it gets `mqtt`, and `player` if ``sound_device`` says that one
    exists. With no zone configured there is one, `default`.
    """
    implied = ("mqtt", "player") if sound_device else ("mqtt",)
    unnamed = tuple(settings.outputs) or implied
    zones = settings.zones or {DEFAULT_ZONE: ZoneSettings()}
    filled = {
        name: zone if zone.outputs else zone.model_copy(update={"outputs": unnamed})
        for name, zone in zones.items()
    }
    known: dict[str, OutputSettings] = {
        "mqtt": MqttOutputSettings(),
        "player": PlayerOutputSettings(),
        **settings.outputs,
    }
    used = {name for zone in filled.values() for name in (*zone.outputs, zone.fallback_output)}
    return Layout(
        zones=filled,
        outputs={name: output for name, output in known.items() if name in used},
        default_zone=_default_zone(settings, filled),
    )


def _default_zone(settings: Settings, zones: Mapping[str, ZoneSettings]) -> str:
    if settings.node.default_zone is not None:
        return settings.node.default_zone
    return DEFAULT_ZONE if DEFAULT_ZONE in zones else next(iter(zones))
