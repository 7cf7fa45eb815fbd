"""[queue]: what may wait, and for how long."""

from typing import Self

from pydantic import Field, model_validator

from cosyedge.config.base import Number, Section, Whole


class QueueSettings(Section):
    """Bounds of the backlog."""

    max_items: Whole = Field(
        100, ge=1, le=100000, description="Announcements that may wait at once."
    )
    max_bytes: Whole = Field(
        1048576, ge=16384, le=1073741824, description="Bytes of payload that may wait at once."
    )
    burst_max: Whole = Field(
        20, ge=1, le=100000, description="Announcements spoken of a backlog after an outage."
    )
    ttl_s: Number = Field(
        120.0,
        ge=1,
        le=86400,
        description="Time to live of an announcement that states none, in seconds.",
    )
    emergency_ttl_s: Number = Field(
        600.0, ge=1, le=86400, description="The same for the class emergency, in seconds."
    )
    ttl_max_s: Number = Field(
        86400.0, ge=1, le=604800, description="The longest time to live that a payload may ask for."
    )

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if max(self.ttl_s, self.emergency_ttl_s) > self.ttl_max_s:
            raise ValueError("ttl_s and emergency_ttl_s cannot exceed ttl_max_s")
        return self
