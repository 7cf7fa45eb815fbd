"""[engine]: the voices, their workers and what these may use of the box."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from cosyedge.config.base import Number, Section, VoiceName, Whole


class EngineSettings(Section):
    """Voice, memory, threads and deadlines of the workers."""

    voice: VoiceName = Field(
        "hibari", description="The default voice; `cosyedge voices` lists them."
    )
    fallback_voice: VoiceName | None = Field(
        None,
        description="A small voice that speaks when the first one cannot.",
        examples=["hibari"],
    )
    speed: Number = Field(1.0, ge=0.5, le=2.0, description="Speed of speech, 0.5 to 2.")
    threads: Whole = Field(
        0, ge=0, le=64, description="Threads of one run. 0: as many as the box grants."
    )
    memory_cap_mb: Whole = Field(
        512, ge=64, le=65536, description="Memory of one worker, in MB; it is ended above it."
    )
    total_memory_cap_mb: Whole = Field(
        1024,
        ge=64,
        le=65536,
        description="Memory of all workers, in MB; the least recently used voice gives way.",
    )
    recycle_mb: Whole | None = Field(
        None,
        ge=64,
        le=65536,
        description="A worker above it is replaced between two sentences. "
        "Default: 85 % of memory_cap_mb.",
        examples=[435],
    )
    stages: Literal["auto", "resident", "staged"] = Field(
        "auto",
        description="Whether a voice of several graphs keeps them all in memory (resident), "
        "loads each for its turn (staged), or decides by memory_cap_mb.",
    )
    quality: Literal["draft", "standard", "fine"] = Field(
        "standard", description="Quality tier of voices that have several."
    )
    deadline_min_s: Number = Field(
        5.0, ge=0.5, le=600, description="Shortest deadline of a synthesis, in seconds."
    )
    deadline_factor: Number = Field(
        3.0, ge=1, le=100, description="A synthesis may take so many times what is expected."
    )
    deadline_max_s: Number = Field(
        60.0, ge=1, le=3600, description="Longest deadline of a synthesis, in seconds."
    )
    start_timeout_s: Number = Field(
        60.0, ge=1, le=3600, description="Deadline of a worker's start, in seconds."
    )
    options: dict[VoiceName, dict[str, Any]] = Field(
        default_factory=dict,
        description="Settings that one engine alone knows, by voice.",
        examples=[{"hibari": {"arena": True}}],
    )

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.deadline_min_s > self.deadline_max_s:
            raise ValueError("deadline_min_s exceeds deadline_max_s")
        if self.memory_cap_mb > self.total_memory_cap_mb:
            raise ValueError("memory_cap_mb exceeds total_memory_cap_mb")
        return self

    @property
    def recycle_bytes(self) -> int:
        """The worker's size above which it is replaced between two sentences."""
        if self.recycle_mb is not None:
            return self.recycle_mb << 20
        return int(self.memory_cap_mb * 0.85) << 20
