"""The bugs: each an edit or two of the source, and the test that must fail with it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` stands exactly once in the file at ``path``."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug by its name."""

    name: str
    edits: tuple[Edit, ...]
    test: str


DOOR, CARETAKER = "cosyedge/service/door.py", "cosyedge/service/caretaker.py"
R2 = "tests/reliability/test_r2_never_again.py"
KNOWN = "if self._journal.ended_within_a_day(announcement.id):"
CANARY = "self._round_trip_s = await self._canary.fly(link)"
ROOM = "items = len(self) + 1 - limits.max_items - len(leaving)"
LATE = "if not self._sounded and self._clock.monotonic() >= self.announcement.expires_at:"
LOGGED = 'log.log(level, "announcement %s", event.type.value, extra=extra)'
TEXT = '"".join(u.text for u in announcement.utterances) if announcement else ""'

BUGS = (
    Bug(
        "no dedupe",
        (Edit(DOOR, KNOWN, "if False:"),),
        f"{R2}::test_r2_an_id_that_ended_is_a_duplicate_after_a_kill",
    ),
    Bug(
        "acknowledge before commit",
        (
            Edit(
                DOOR,
                "        if len(taken) == 1:\n",
                "        for each in taken:\n            each.message.acknowledge()\n"
                "        if len(taken) == 1:\n",
            ),
        ),
        f"{R2}::test_r1_a_message_is_acknowledged_only_after_its_row_is_written",
    ),
    Bug(
        "bare ping timer",
        (Edit(CARETAKER, "            if not stuck:\n", "            if True:\n"),),
        "tests/reliability/test_r8_earned_watchdog.py"
        "::test_r8_a_journal_that_stands_still_stops_it",
    ),
    Bug(
        "no ttl",
        (Edit("cosyedge/service/performance.py", LATE, "if False:"),),
        "tests/service/test_performance.py::test_an_expired_announcement_is_reported_not_spoken",
    ),
    Bug(
        "no sha256",
        (Edit("cosyedge/engine/manifest.py", "if _sha256(path) != file.sha256:", "if False:"),),
        "tests/engine/test_manifest.py",
    ),
    Bug(
        "unbounded queue",
        (Edit("cosyedge/core/backlog.py", ROOM, "items = 0"),),
        "tests/core/test_dispatch_queue.py"
        "::test_newcomer_that_does_not_outrank_the_lowest_is_rejected",
    ),
    Bug(
        "is_connected as health",
        (Edit("cosyedge/adapters/mqtt/broker.py", CANARY, "self._round_trip_s = 0.0"),),
        "tests/mqtt/test_hostile_broker.py::test_a_canary_that_is_not_answered_ends_the_connection",
    ),
    Bug(
        "text in the log",
        (
            Edit(
                "cosyedge/service/teller.py",
                LOGGED,
                f'log.log(level, "announcement %s %s", event.type.value, {TEXT}, extra=extra)',
            ),
        ),
        f"{R2}::test_r15_no_text_reaches_the_log_the_events_or_the_disk",
    ),
)
