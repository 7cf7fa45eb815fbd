"""The rules of the zones: as configured, with what was set by topic laid over it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cosyedge.core.backlog import QueueLimits
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.policy import ZoneRules, parse_quiet_hours
from cosyedge.service.conductor import Conductor
from cosyedge.service.live import LiveSettings
from cosyedge.service.ports import Clock

RULING = frozenset({"mute", "mute_classes", "quiet_hours"})


class Rules:
    """Keeps the dispatcher's rules in step with the live settings."""

    def __init__(
        self,
        configured: Mapping[str, ZoneRules],
        limits: QueueLimits,
        groups: Mapping[str, Sequence[str]],
        live: LiveSettings,
        dispatcher: Dispatcher,
        conductor: Conductor,
        clock: Clock,
        *,
        on_setting: Callable[[str | None, str], None],
    ) -> None:
        """``on_setting`` tells the twin of each setting that changed."""
        self._configured = configured
        self._limits = limits
        self._groups = groups
        self._live = live
        self._dispatcher = dispatcher
        self._conductor = conductor
        self._clock = clock
        self._on_setting = on_setting

    def changed(self, zone: str | None, name: str) -> None:
        """A setting was set: apply it, if it is a rule, and tell its twin."""
        if name in RULING:
            self.apply()
        self._on_setting(zone, name)

    def apply(self) -> None:
        """Give the dispatcher the rules that hold now."""
        rules = {name: self._of(name, own) for name, own in self._configured.items()}
        now = self._clock.monotonic()
        decisions = self._dispatcher.reconfigure(rules, self._limits, self._groups, now)
        self._conductor.carry_out(decisions)

    def _of(self, zone: str, rules: ZoneRules) -> ZoneRules:
        muted = self._live.get(zone, "mute")
        if muted is not None:
            rules = replace(rules, muted=muted)
        classes = self._live.get(zone, "mute_classes")
        if classes is not None:
            rules = replace(rules, muted_classes=frozenset(filter(None, classes.split(","))))
        quiet = self._live.get(zone, "quiet_hours")
        if quiet == "OFF":
            return replace(rules, quiet=())
        return rules if quiet is None else replace(rules, quiet=(parse_quiet_hours(quiet),))
