"""What survives a kill: accepted announcements, their ends, events to tell, faults, settings."""

from cosyedge.adapters.journal.fallback import FallbackJournal
from cosyedge.adapters.journal.memory_journal import MemoryJournal
from cosyedge.adapters.journal.reader import JournalReader
from cosyedge.adapters.journal.rows import EndedRow, Fault
from cosyedge.adapters.journal.sqlite_journal import SqliteJournal

__all__ = [
    "EndedRow",
    "FallbackJournal",
    "Fault",
    "JournalReader",
    "MemoryJournal",
    "SqliteJournal",
]
