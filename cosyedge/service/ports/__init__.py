"""What the service needs from the world outside, as Protocols; adapters satisfy them."""

from cosyedge.service.ports.host import Clock, Memory, MemoryReading, Notifier
from cosyedge.service.ports.journal import (
    FaultLog,
    Journal,
    JournalEntry,
    KeptFault,
    OutboxRow,
    SettingsStore,
)
from cosyedge.service.ports.messages import Broker, Message, Outgoing
from cosyedge.service.ports.outputs import Output, OutputSession, Playback, Programme
from cosyedge.service.ports.speech import CachedSpeech, EngineStatus, PhraseStore, SpeechEngine

__all__ = [
    "Broker",
    "CachedSpeech",
    "Clock",
    "EngineStatus",
    "FaultLog",
    "Journal",
    "JournalEntry",
    "KeptFault",
    "Memory",
    "MemoryReading",
    "Message",
    "Notifier",
    "OutboxRow",
    "Outgoing",
    "Output",
    "OutputSession",
    "PhraseStore",
    "Playback",
    "Programme",
    "SettingsStore",
    "SpeechEngine",
]
