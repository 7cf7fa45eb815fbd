"""What a configuration stands for where it leaves zones and outputs out."""

import pytest

from cosyedge.config import Settings, lay_out


@pytest.mark.parametrize(
    ("sound_device", "outputs"), [(False, ("mqtt",)), (True, ("mqtt", "player"))]
)
def test_without_zones_there_is_one_that_publishes_and_plays_where_it_can(
    sound_device: bool, outputs: tuple[str, ...]
) -> None:
    layout = lay_out(Settings(), sound_device=sound_device)
    assert layout.default_zone == "default"
    assert {name: zone.outputs for name, zone in layout.zones.items()} == {"default": outputs}
    assert tuple(layout.outputs) == outputs


def test_zone_that_names_no_output_has_every_configured_one() -> None:
    settings = Settings(outputs={"quiet": {"kind": "null"}}, zones={"hall": {"volume": 0.5}})
    layout = lay_out(settings, sound_device=True)
    assert layout.zones["hall"].outputs == ("quiet",)
    assert layout.zones["hall"].volume == 0.5
    assert set(layout.outputs) == {"quiet"}


def test_named_outputs_are_kept_and_their_settings_win() -> None:
    settings = Settings(
        outputs={"mqtt": {"kind": "mqtt", "format": "flac"}, "unused": {"kind": "null"}},
        zones={"hall": {"outputs": ["mqtt"], "fallback_output": "player"}},
    )
    layout = lay_out(settings, sound_device=False)
    assert layout.outputs["mqtt"].format == "flac"  # type: ignore[union-attr]
    assert set(layout.outputs) == {"mqtt", "player"}


def test_default_zone_is_the_named_one_else_default_else_the_first() -> None:
    zones = {"attic": {}, "hall": {}}
    assert lay_out(Settings(zones=zones), sound_device=False).default_zone == "attic"
    assert (
        lay_out(Settings(zones=zones | {"default": {}}), sound_device=False).default_zone
        == "default"
    )
    named = Settings(zones=zones, node={"default_zone": "hall"})
    assert lay_out(named, sound_device=False).default_zone == "hall"
