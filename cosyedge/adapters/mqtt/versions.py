"""Which version of MQTT to speak next: 5 first, 3.1.1 where the broker has no 5."""

from typing import Literal

from cosyedge.adapters.mqtt.reasons import UNSUPPORTED_VERSION, BrokerRefusal
from cosyedge.adapters.mqtt.settings import Version
from cosyedge.core.errors import OutputFailure

HANG_UPS = 2
_OTHER: dict[Version, Version] = {"5": "3.1.1", "3.1.1": "5"}


class VersionChoice:
    """Remembers what the broker took.

    A broker that says "unsupported version" is believed at once. One that hangs up twice, as old
    ones do, is tried with the other version, but never once 5 has worked: then it is the network
    that hangs up.
    """

    def __init__(self, wanted: Literal["auto", "5", "3.1.1"]) -> None:
        self._is_fixed = wanted != "auto"
        self._version: Version = "5" if wanted == "auto" else wanted
        self._five_works = False
        self._hung_up = 0

    def next(self) -> Version:
        """The version of the next attempt."""
        return self._version

    def accepted(self) -> None:
        """A CONNACK granted the version."""
        self._hung_up = 0
        self._five_works = self._five_works or self._version == "5"

    def refused(self, failure: OutputFailure) -> bool:
        """The broker was reached and no CONNACK granted the version; True where the other one
        is worth an attempt at once."""
        if self._is_fixed or self._five_works:
            return False
        if isinstance(failure, BrokerRefusal):
            at_once = self._version == "5" and failure.reason_code in UNSUPPORTED_VERSION
            if at_once:
                self._version = "3.1.1"
            return at_once
        self._hung_up += 1
        if self._hung_up >= HANG_UPS:
            self._version, self._hung_up = _OTHER[self._version], 0
        return False
