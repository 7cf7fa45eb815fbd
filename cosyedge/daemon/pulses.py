"""The pulses of the node's parts, by which the watchdog is earned."""

from collections.abc import Mapping
from functools import partial

from cosyedge.adapters.mqtt import MqttBroker
from cosyedge.daemon.plant import Plant
from cosyedge.service.caretaker import engine_pulse
from cosyedge.service.conductor import MINUTE_S, Conductor
from cosyedge.service.intake import Intake
from cosyedge.service.vitals import Pulse, Vitals


def watch_parts(
    vitals: Vitals, plant: Plant, conductor: Conductor, intakes: Mapping[str, Intake]
) -> None:
    """Have all parts watched: each moves, waits by design, or is inside its deadline."""
    # Between two canaries nothing needs to move, and an attempt to connect has its own deadline.
    slack_s = plant.settings.liveness.canary_interval_s + plant.settings.mqtt.connect_timeout_s

    def mqtt(broker: MqttBroker) -> Pulse:
        status = broker.status()
        return Pulse(status.progressed_at + slack_s, waits_by_design=status.state == "backoff")

    def journal() -> Pulse:
        kept = plant.journal
        return Pulse(kept.progressed_at, waits_by_design=kept.waiting == 0)

    def dispatcher() -> Pulse:
        return Pulse(conductor.progressed_at + MINUTE_S)

    def outputs() -> Pulse:
        deadline_at = conductor.outputs_deadline_at
        return Pulse(deadline_at or 0.0, deadline_at, waits_by_design=deadline_at is None)

    def intake(which: Intake) -> Pulse:
        return Pulse(which.progressed_at, waits_by_design=not which.is_busy)

    vitals.watch("engine", engine_pulse(plant.pool, plant.clock))
    vitals.watch("mqtt", lambda: mqtt(plant.broker))
    vitals.watch("mqtt urgent", lambda: mqtt(plant.urgent_broker))
    vitals.watch("journal", journal)
    vitals.watch("dispatcher", dispatcher)
    vitals.watch("outputs", outputs)
    for name, each in intakes.items():
        vitals.watch(name, partial(intake, each))
