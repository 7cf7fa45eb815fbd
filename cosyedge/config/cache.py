"""[cache]: the phrase cache."""

from pydantic import Field

from cosyedge.config.base import Section, Whole


class CacheSettings(Section):
    """Bounds of both tiers, by bytes."""

    memory_mb: Whole = Field(32, ge=0, le=4096, description="Phrases kept in memory, in MB.")
    disk_mb: Whole = Field(
        256, ge=0, le=1048576, description="Phrases kept on disk as FLAC, in MB. 0: none."
    )
