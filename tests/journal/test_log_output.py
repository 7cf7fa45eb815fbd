"""Log records in the journal, as text and as JSON; nothing raw ever reaches a terminal."""

import io
import json
import logging
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyedge.adapters.catalogue import catalogue, main, message_id
from cosyedge.adapters.journald import NativeJournal, journal_is_stderr
from cosyedge.adapters.log_output import JournalHandler, make_handler
from cosyedge.core.codes import CODES

HOSTILE = "x\n\x1b[31mred\x07\x9b\u202eevil\u2028\ud800\r\x00"


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    made = logging.getLogger("cosyedge.test.output")
    made.propagate = False
    made.setLevel("DEBUG")
    yield made
    made.handlers.clear()


def decode(entry: bytes) -> dict[str, str]:
    """Read the native protocol back."""
    fields = {}
    while entry:
        head, _, entry = entry.partition(b"\n")
        name, equals, value = head.partition(b"=")
        if not equals:
            (size,) = struct.unpack("<Q", entry[:8])
            value, entry = entry[8 : 8 + size], entry[8 + size + 1 :]
        fields[name.decode()] = value.decode()
    return fields


@pytest.fixture
def journald(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.settimeout(10)
        yield listening


def stumble() -> None:
    raise RuntimeError(HOSTILE)


def native(logger: logging.Logger, journald: socket.socket) -> None:
    logger.addHandler(JournalHandler(NativeJournal(journald.getsockname()).write))


def test_journal_entry_carries_the_fields_and_a_message_id(
    logger: logging.Logger, journald: socket.socket
) -> None:
    native(logger, journald)
    extra = {"COSYEDGE_ID": "a1", "COSYEDGE_EVENT": "failed", "COSYEDGE_CODE": "out_of_memory"}
    logger.warning("announcement %s", "failed", extra={**extra, "voice": "hibari"})
    fields = decode(journald.recv(65536))
    assert fields["MESSAGE"] == "announcement failed"
    assert fields["PRIORITY"] == "4"
    assert fields["SYSLOG_IDENTIFIER"] == "cosyedge"
    assert fields["COSYEDGE_VOICE"] == "hibari"
    assert fields["MESSAGE_ID"] == message_id(None, "out_of_memory")
    assert {name: fields[name] for name in extra} == extra


def test_no_control_character_passes_in_any_form(
    logger: logging.Logger, journald: socket.socket
) -> None:
    native(logger, journald)
    streams = {form: io.StringIO() for form in ("text", "json")}
    for form, stream in streams.items():
        logger.addHandler(make_handler(form, stream))
    logger.info("got %s", HOSTILE, extra={"COSYEDGE_ID": HOSTILE, "bad=na\nme": "v"})
    fields = decode(journald.recv(65536))
    texts = [*fields.values(), *(stream.getvalue().rstrip("\n") for stream in streams.values())]
    for text in texts:
        assert not set(text) & set("\n\r\x00\x07\x1b\x9b\u202e\u2028\ud800")
    assert "\\x1b[31mred" in fields["MESSAGE"]
    assert fields["COSYEDGE_BAD_NA_ME"] == "v"


def test_traceback_is_whole_and_escaped(logger: logging.Logger, journald: socket.socket) -> None:
    native(logger, journald)
    stream = io.StringIO()
    logger.addHandler(make_handler("text", stream))
    try:
        stumble()
    except RuntimeError:
        logger.exception("announcement failed")
    fields = decode(journald.recv(65536))
    assert "RuntimeError" in fields["COSYEDGE_TRACE"]
    assert "\n" not in fields["MESSAGE"]
    assert "\x1b" not in fields["COSYEDGE_TRACE"] + stream.getvalue()
    assert "\n    RuntimeError" in stream.getvalue()


def test_entry_too_large_for_a_datagram_goes_as_a_file(journald: socket.socket) -> None:
    NativeJournal(journald.getsockname()).write({"MESSAGE": "x" * 4_000_000})
    _, descriptors, _, _ = socket.recv_fds(journald, 16, 1)
    with os.fdopen(descriptors[0], "rb") as file:
        file.seek(0)
        assert len(decode(file.read())["MESSAGE"]) == 4_000_000


def test_a_journal_that_is_gone_is_no_error(tmp_path: Path) -> None:
    NativeJournal(str(tmp_path / "gone")).write({"MESSAGE": "x"})


def test_long_values_are_cut(logger: logging.Logger) -> None:
    stream = io.StringIO()
    logger.addHandler(make_handler("json", stream))
    logger.info("x" * 100_000)
    assert len(json.loads(stream.getvalue())["message"]) == 4096


def test_json_lines_can_be_read_back(logger: logging.Logger) -> None:
    stream = io.StringIO()
    logger.addHandler(make_handler("json", stream))
    logger.info("announcement finished", extra={"COSYEDGE_ID": "ü", "COSYEDGE_ZONE": "hall"})
    entry = json.loads(stream.getvalue())
    assert (entry["id"], entry["zone"], entry["level"]) == ("ü", "hall", "info")


def test_auto_takes_the_journal_only_when_stderr_goes_there(tmp_path: Path) -> None:
    with (tmp_path / "stream").open("w") as file:
        status = os.fstat(file.fileno())
        there = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        assert journal_is_stderr(there, file.fileno())
        assert not journal_is_stderr({"JOURNAL_STREAM": "1:2"}, file.fileno())
        assert not journal_is_stderr({}, file.fileno())
        assert not journal_is_stderr(there, -1)


def test_every_code_has_a_catalogue_text_with_its_mend() -> None:
    text = catalogue()
    ids = [message_id(None, code) for code in CODES]
    assert len(set(ids)) == len(CODES)
    for code, explanation in CODES.items():
        assert f"-- {message_id('failed', code)}\n" in text
        assert f"What to do: {explanation.mend}." in text
    assert message_id("no such", None) is None


def test_written_catalogue_is_up_to_date() -> None:
    assert main(["--check"]) == 0
