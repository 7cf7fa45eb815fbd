"""``cosyedge``: the daemon's verb is dispatched before the command line's libraries are loaded."""

import os
import sys
from pathlib import Path

USAGE, FAILURE, INTERRUPTED = 2, 1, 130

RUN_HELP = """\
Usage: cosyedge run [--config FILE]

  Run the node: listen on MQTT, speak what comes, until SIGTERM.

  Without --config it reads /etc/cosyedge/cosyedge.toml if that is there. The environment wins
  over the file: COSYEDGE_MQTT__HOST, COSYEDGE_MQTT__PORT, COSYEDGE_NODE__NAME, ...
  SIGHUP reads both again.

Options:
  -c, --config FILE  The configuration file; config/cosyedge.toml shows every key.
  -h, --help         Show this and leave.
"""


def main(arguments: list[str] | None = None) -> int:
    """Carry out a command line; errors are one line on stderr and an exit status."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # Before numpy is imported: each thread of OpenBLAS takes memory that nothing here needs.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        return _run(words[1:])
    from cosyedge.cli.app import main as command_line

    return command_line(words)


def _run(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"]):
        sys.stdout.write(RUN_HELP)
        return 0
    config, unknown = _config(words)
    if unknown is not None:
        return _complain(f"run: what is {unknown!r}? See cosyedge run --help", USAGE)
    from cosyedge.core.errors import CosyedgeError, SettingsError
    from cosyedge.daemon import run

    try:
        return run(config)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SettingsError as error:
        return _complain(str(error), USAGE)
    except CosyedgeError as error:
        return _complain(str(error), FAILURE)


def _config(words: list[str]) -> tuple[Path | None, str | None]:
    """Give the configuration's file, if one is named, and the first word not understood."""
    match words:
        case []:
            return None, None
        case ["-c" | "--config", path] if path:
            return Path(path), None
        case [option] if option.startswith("--config=") and len(option) > len("--config="):
            return Path(option.removeprefix("--config=")), None
        case ["-c" | "--config", _, unknown, *_]:
            return None, unknown
        case [unknown, *_]:
            return None, unknown
    return None, None


def _complain(message: str, status: int) -> int:
    sys.stderr.write(f"cosyedge: {message}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
