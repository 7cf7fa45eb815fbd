"""The daemon: the one place that builds all parts and puts them together."""

from pathlib import Path


def run(config: Path | None) -> int:
    """Run the node until SIGTERM; returns the exit status. Raises SettingsError."""
    from cosyedge.daemon.serve import serve

    return serve(config)
