"""[journal]: what is kept on disk about announcements."""

from pydantic import Field

from cosyedge.config.base import Section, Whole


class JournalSettings(Section):
    """The journal of announcements and faults."""

    enabled: bool = Field(
        True, description="Without it nothing survives a crash of the daemon; for trials."
    )
    max_mb: Whole = Field(10, ge=1, le=10240, description="Largest journal, in MB.")
    history_text: bool = Field(
        False, description="Whether texts stay in the journal after an announcement's end."
    )
