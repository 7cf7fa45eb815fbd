"""SIGKILL at each step of the journal's thread: what was told is kept, each end is single."""

from collections import Counter
from pathlib import Path

import pytest

from cosyedge.adapters.journal import SqliteJournal
from tests.journal.child import STEPS
from tests.journal.material import SteadyClock, run_child

POINTS = [(step, count) for step in STEPS for count in (1, 2, 5) if (step, count) != ("_fold", 5)]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("step", "countdown"), POINTS)
def test_what_was_told_before_a_kill_is_there_after_it(
    path: Path, step: str, countdown: int, when: str
) -> None:
    done = run_child("work", path, step, when, countdown)
    assert done.returncode == -9, done.stderr
    told: dict[str, set[str]] = {"accepted": set(), "started": set(), "ended": set()}
    for line in done.stdout.splitlines():
        word, id = line.split()
        told[word].add(id)

    journal = SqliteJournal(path, SteadyClock())
    assert journal.damage is None
    open_ids = {item[0].id for item in journal.open_entries()}
    ended_ids = {row.id for row in journal.history()}
    assert told["accepted"] <= open_ids | ended_ids
    assert told["ended"] <= ended_ids
    assert not open_ids & ended_ids
    states = {item[0].id: item[1] for item in journal.open_entries()}
    assert all(states.get(id, "ended") != "accepted" for id in told["started"])
    outbox = Counter(row.message.payload for row in journal.undelivered(1000))
    assert set(outbox.values()) <= {1}
    ends = {payload for payload in outbox if b"finished" in payload}
    assert len(ends) == len(ended_ids)
    assert len(outbox) - len(ends) == len(open_ids | ended_ids)
    journal.close_now()
