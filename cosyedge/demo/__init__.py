"""The demonstration: a broker, the real daemon and a listener in one command."""
