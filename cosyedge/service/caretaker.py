"""The caretaker: probes what failed, pings the idle engine, earns the watchdog."""

import asyncio
import logging
from collections.abc import Callable, Mapping

from cosyedge.core.errors import EngineFailure
from cosyedge.service.faults import Faults
from cosyedge.service.performance import Performance
from cosyedge.service.ports import Clock, Notifier, Output, SpeechEngine
from cosyedge.service.vitals import Pulse, Vitals

log = logging.getLogger(__name__)

PROBE_PERIOD_S = 5.0
PING_PERIOD_S = 5.0
CONDITION_PERIOD_S = 1.0
PING_DEADLINE_S = 2.0
#: How often we look where no service manager waits for us.
LOOK_PERIOD_S = 5.0


#: What one announcement asked for and could not have says nothing of its output.
SENDERS_FAULT = frozenset({"too_large", "unsupported_format", "expired"})


class Caretaker:
    """Looks after the parts; each loop of it runs until cancelled."""

    def __init__(
        self,
        vitals: Vitals,
        faults: Faults,
        engine: SpeechEngine,
        outputs: Mapping[str, Output],
        notifier: Notifier,
        clock: Clock,
        *,
        status: Callable[[], str],
        conditions: Mapping[str, Callable[[], str | None]],
        probe_period_s: float = PROBE_PERIOD_S,
    ) -> None:
        """``status`` is the line for the service manager; ``conditions`` give, by the name of
        the fault, its code while it lasts."""
        self._vitals = vitals
        self._faults = faults
        self._engine = engine
        self._outputs = outputs
        self._notifier = notifier
        self._clock = clock
        self._status = status
        self._conditions = conditions
        self._probe_period_s = probe_period_s
        self.loop_lag_s = 0.0

    def heard(self, performance: Performance) -> None:
        """Note which outputs of an ended performance failed, and which are well."""
        for output, code in performance.failed_outputs.items():
            if code in SENDERS_FAULT:
                continue
            self._faults.report(f"output.{output.name}", code)
        if performance.account.first_audio_at is None:
            return
        for output in performance.outputs:
            if output not in performance.failed_outputs:
                self._faults.report(f"output.{output.name}", None)

    async def probe_outputs(self) -> None:
        """Probe all outputs once, then those that are at fault every 5 s."""
        names = set(self._outputs)
        while True:
            await asyncio.sleep(self._probe_period_s)
            for name in names:
                code = await self._outputs[name].probe()
                self._faults.report(f"output.{name}", code)
            active = self._faults.active()
            names = {name for name in self._outputs if f"output.{name}" in active}

    async def ping_engine(self) -> None:
        """Ping the engine while it is idle; its faults come and go with its answers."""
        while True:
            status = self._engine.status()
            fault = status.fault
            if status.state == "ready":
                try:
                    await self._engine.ping(PING_DEADLINE_S)
                except EngineFailure as error:
                    fault = error.code
            self._faults.report("engine", fault)
            await asyncio.sleep(PING_PERIOD_S)

    async def watch_conditions(self) -> None:
        """Raise and clear the faults of what only has a state: connections, the disk."""
        while True:
            for name, code in self._conditions.items():
                self._faults.report(name, code())
            await asyncio.sleep(CONDITION_PERIOD_S)

    async def watch(self) -> None:
        """Earn the watchdog: tell the service manager that we live only while all parts do."""
        period_s = self._notifier.watchdog_period_s or LOOK_PERIOD_S
        told: set[str] = set()
        while True:
            due = self._clock.monotonic() + min(period_s / 3, LOOK_PERIOD_S)
            stuck = self._vitals.stuck()
            if not stuck:
                self._notifier.watchdog()
            for part in stuck.keys() - told:
                log.error("part does not move: %s", part, extra={"COSYEDGE_CODE": "internal"})
            told = set(stuck)
            self._notifier.status(self._status())
            await asyncio.sleep(due - self._clock.monotonic())
            self.loop_lag_s = max(0.0, self._clock.monotonic() - due)


def engine_pulse(engine: SpeechEngine, clock: Clock) -> Callable[[], Pulse]:
    """The engine's pulse: busy within its deadline, or answering pings; else it waits."""

    def pulse() -> Pulse:
        status = engine.status()
        restarts = status.state not in ("ready", "busy")
        # An idle engine moves once a ping.
        progressed_at = (status.progressed_at or clock.monotonic()) + PING_PERIOD_S
        return Pulse(progressed_at, status.deadline_at, waits_by_design=restarts)

    return pulse
