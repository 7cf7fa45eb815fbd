"""cosyedge: an announcement daemon for edge boxes. MQTT in, speech out."""

__version__ = "0.1.0"
#: No clock is right that shows an earlier day.
__released__ = "2026-12-02"
