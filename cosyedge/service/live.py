"""Live settings: what was set by topic, a node's and a zone's, kept over a restart."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cosyedge.core.announcement import CLASSES
from cosyedge.core.errors import Refusal
from cosyedge.core.policy import parse_quiet_hours
from cosyedge.service.ports import SettingsStore

ON_OFF = {"ON": True, "OFF": False, "TRUE": True, "FALSE": False, "1": True, "0": False}


@dataclass(frozen=True, slots=True)
class Kind:
    """How one setting is read from a payload; ``read`` raises ValueError."""

    read: Callable[[str], Any]
    says: str


def _volume(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise ValueError(text)
    return value


def _switch(text: str) -> bool:
    try:
        return ON_OFF[text.strip().upper()]
    except KeyError:
        raise ValueError(text) from None


def _quiet(text: str) -> str:
    if text.strip().upper() == "OFF":
        return "OFF"
    parse_quiet_hours(text.strip())
    return text.strip()


def _classes(text: str) -> str:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not set(names) <= CLASSES.keys():
        raise ValueError(text)
    return ",".join(names)


KINDS: dict[str, Kind] = {
    "volume": Kind(_volume, "a number from 0 to 1"),
    "mute": Kind(_switch, "ON or OFF"),
    "mute_classes": Kind(_classes, "classes with commas between them, or nothing"),
    "quiet_hours": Kind(_quiet, "HH:MM-HH:MM, or OFF"),
    "voice": Kind(str.strip, "the name of a voice"),
}


class LiveSettings:
    """Values by (zone, setting); a zone's own wins over the node's."""

    def __init__(self, store: SettingsStore, voices: Mapping[str, object]) -> None:
        self._store = store
        self._voices = voices
        self._values: dict[tuple[str | None, str], Any] = {}
        for key, text in store.settings().items():
            zone, _, name = key.rpartition("/")
            if name in KINDS:
                self._values[zone or None, name] = json.loads(text)

    def set(self, zone: str | None, name: str, payload: str) -> Any:
        """Read, keep and give back a value; an empty payload forgets it (None).

        Raises Refusal naming the setting.
        """
        kind = KINDS.get(name)
        if kind is None:
            raise Refusal("unknown_key", f"no setting is called {name!r}", field=name)
        if not payload.strip() and name != "mute_classes":
            self._values.pop((zone, name), None)
            self._keep(zone, name, None)
            return None
        try:
            value = kind.read(payload)
        except ValueError:
            raise Refusal("invalid_value", f"{name} takes {kind.says}", field=name) from None
        if name == "voice" and value not in self._voices:
            raise Refusal("unknown_voice", f"no voice is called {value!r}", field=name)
        self._values[zone, name] = value
        self._keep(zone, name, json.dumps(value))
        return value

    def get(self, zone: str | None, name: str) -> Any:
        """The zone's value, else the node's, else None."""
        own = self._values.get((zone, name))
        return self._values.get((None, name)) if own is None else own

    def own(self, zone: str | None, name: str) -> Any:
        """The value set for exactly this zone (or for the node), or None."""
        return self._values.get((zone, name))

    def _keep(self, zone: str | None, name: str, value: str | None) -> None:
        self._store.set_setting(_key(zone, name), value)


def _key(zone: str | None, name: str) -> str:
    return f"{zone}/{name}" if zone else name
