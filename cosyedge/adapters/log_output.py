"""Where log records go: systemd's journal with fields, or text or JSON lines on stderr.

Whatever a record carries in ``extra`` is a field: ``COSYEDGE_ID`` as it is, ``voice`` as
``COSYEDGE_VOICE``. Control characters never reach a terminal or the journal raw.
"""

import json
import logging
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TextIO

from cosyedge.adapters.catalogue import message_id
from cosyedge.adapters.journald import Write, journal_is_stderr, journal_writer

# syslog(3): err, warning, info, debug.
PRIORITIES = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.DEBUG, 7))
MAX_VALUE_CHARS = 4096
MAX_TRACE_CHARS = 16_384

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
# C0 and C1 controls, line and paragraph separators, bidi controls, surrogates.
_UNSAFE = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)
_NAME = re.compile(r"[^A-Z0-9_]")


def configure_logging(
    form: str = "auto", level: str = "info", *, stream: TextIO | None = None
) -> None:
    """Send all records of this process to one place.

    ``form`` is auto, journal, text or json; auto takes the journal when stderr goes there.
    """
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(make_handler(form, stream or sys.stderr))
    root.setLevel(level.upper())
    logging.captureWarnings(True)


def make_handler(form: str, stream: TextIO) -> logging.Handler:
    """The handler of a form."""
    if form == "journal" or (form == "auto" and journal_is_stderr()):
        return JournalHandler(journal_writer())
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    return handler


def escaped(text: str, limit: int = MAX_VALUE_CHARS) -> str:
    """The text with every control character written out, cut at ``limit``."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return _UNSAFE.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def fields_of(record: logging.LogRecord) -> dict[str, str]:
    """The record's own fields by their names in the journal, escaped."""
    found = {}
    for key, value in vars(record).items():
        if key in _STANDARD or value is None:
            continue
        name = _NAME.sub("_", key.upper())
        if not name.startswith("COSYEDGE_"):
            name = f"COSYEDGE_{name.lstrip('_')}"
        found[name] = escaped(value if isinstance(value, str) else str(value))
    return found


def _trace(record: logging.LogRecord) -> str | None:
    if not record.exc_info:
        return None
    lines = logging.Formatter().formatException(record.exc_info).splitlines()
    return "\n".join(escaped(line) for line in lines)[-MAX_TRACE_CHARS:]


class JournalHandler(logging.Handler):
    """Entries with fields for ``journalctl COSYEDGE_ID=...`` and texts for ``journalctl -x``."""

    def __init__(self, write: Write) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        """Write one entry; the message is one line, a traceback has a field of its own."""
        try:
            fields = fields_of(record)
            entry: dict[str, str] = {
                "MESSAGE": escaped(record.getMessage()),
                "PRIORITY": str(priority_of(record.levelno)),
                "SYSLOG_IDENTIFIER": "cosyedge",
                "LOGGER": record.name,
                **fields,
            }
            found = message_id(fields.get("COSYEDGE_EVENT"), fields.get("COSYEDGE_CODE"))
            if found is not None:
                entry["MESSAGE_ID"] = found
            trace = _trace(record)
            if trace is not None:
                entry["COSYEDGE_TRACE"] = trace
            self._write(entry)
        except (ValueError, TypeError):
            self.handleError(record)


def priority_of(level: int) -> int:
    """The syslog priority of a level of :mod:`logging`."""
    return next((number for floor, number in PRIORITIES if level >= floor), 7)


class TextLines(logging.Formatter):
    """Lines for people: time, level, message, name=value of every field."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and indented ones for a traceback."""
        words = [
            _stamp(record),
            f"{record.levelname.lower():7}",
            escaped(record.getMessage()),
            *(f"{_short(name)}={value}" for name, value in fields_of(record).items()),
        ]
        trace = _trace(record)
        lines = [" ".join(words), *(f"    {line}" for line in (trace or "").splitlines())]
        return "\n".join(lines)


class JsonLines(logging.Formatter):
    """Lines for programs: one JSON object each."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        entry: Mapping[str, str | None] = {
            "time": _stamp(record),
            "level": record.levelname.lower(),
            "message": escaped(record.getMessage()),
            "logger": record.name,
            **{_short(name): value for name, value in fields_of(record).items()},
            **({"trace": trace} if (trace := _trace(record)) else {}),
        }
        return json.dumps(entry, ensure_ascii=False)


def _stamp(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _short(name: str) -> str:
    return name.removeprefix("COSYEDGE_").lower()
