"""The configuration: one model a section, loaded once at the root and passed down as sections."""

from cosyedge.config.layout import Layout, lay_out
from cosyedge.config.loader import DEFAULT_FILE, load_settings
from cosyedge.config.secrets import mqtt_password
from cosyedge.config.settings import Settings

__all__ = ["DEFAULT_FILE", "Layout", "Settings", "lay_out", "load_settings", "mqtt_password"]
