"""cosyedge: an announcement daemon for edge boxes. MQTT in, speech out."""

__version__ = "0.1.0"
