"""[liveness]: how the daemon proves that it works."""

from pydantic import Field

from cosyedge.config.base import Number, Section


class LivenessSettings(Section):
    """Intervals of the probes."""

    canary_interval_s: Number = Field(
        15.0, ge=1, le=3600, description="A message goes through the broker and back so often."
    )
    canary_deadline_s: Number = Field(
        5.0, ge=0.5, le=60, description="It must be back after so many seconds."
    )
    health_interval_s: Number = Field(
        30.0, ge=1, le=3600, description="The health topic is published so often."
    )
    probe_interval_s: Number = Field(
        5.0, ge=1, le=3600, description="A failed output is tried again so often."
    )
    progress_s: Number = Field(
        10.0,
        ge=1,
        le=600,
        description="Each part must move within it, else systemd's watchdog gets no sign.",
    )
