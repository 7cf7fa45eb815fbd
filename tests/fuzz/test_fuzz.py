"""A short, seeded form of ``make fuzz``: nothing crashes, no changed byte passes."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import cache_entries, configuration, flips, journal_files, payloads, worker_frames
from tests.fuzz.feeding import Feed, Tally, folder_in_memory, mutated, run
from tests.fuzz.journals import make_templates

SEED = 20_261_202


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_in_memory() as made:
        yield made


def fed(feed: Feed, count: int) -> Tally:
    tally = run(feed, count, SEED)
    assert not tally.violations, tally.violations[0][-2000:]
    assert tally.outcomes.total() == count
    return tally


def test_r13_20000_payloads_are_parsed_or_refused() -> None:
    outcomes = fed(payloads.feed, 20_000).outcomes
    assert outcomes["parsed"] > 500


def test_2000_worker_frames_are_read_or_refused() -> None:
    outcomes = fed(worker_frames.feed, 2_000).outcomes
    assert min(outcomes["read"], outcomes["refused"]) > 20


def test_r14_2000_cache_entries_are_found_or_whole(folder: Path) -> None:
    assert fed(cache_entries.make_feed(folder), 2_000).outcomes["found"] > 1_000


def test_r14_300_journals_open_and_go_on(folder: Path) -> None:
    outcomes = fed(journal_files.make_feed(folder), 300).outcomes
    assert min(outcomes["moved aside"], outcomes["harmless"]) > 20


def test_1000_configurations_load_or_are_refused_in_a_line(folder: Path) -> None:
    outcomes = fed(configuration.make_feed(folder), 1_000).outcomes
    assert min(outcomes["loaded"], outcomes["refused"]) > 20


def test_r14_1000_flipped_bytes_of_the_cache_are_found(folder: Path) -> None:
    assert fed(flips.make_cache_feed(folder), 1_000).outcomes == {"found": 1_000}


def test_r14_200_flipped_bytes_of_the_model_are_found(folder: Path) -> None:
    assert fed(flips.make_model_feed(folder), 200).outcomes == {"found": 200}


def test_r14_1000_flipped_bytes_of_the_journal_are_found_or_harmless(folder: Path) -> None:
    outcomes = fed(flips.make_journal_feed(folder), 1_000).outcomes
    assert outcomes["found, moved aside"] > 300


async def test_a_byte_within_a_row_passes_only_where_nobody_reads_it(folder: Path) -> None:
    """The bytes that are heard: each flipped one of a text is found, after a stop and a kill."""
    for name, template in (await make_templates(folder)).items():
        place_of = folder / name
        place_of.mkdir()
        for file, data in template.files.items():
            place = data.find(b"garage door")
            if place < 0:
                continue
            template.lay(place_of)
            changed = bytearray(data)
            changed[place] ^= 0x20
            (place_of / file).write_bytes(changed)
            assert flips.is_found(place_of), (name, file)


def test_the_same_seed_makes_the_same_inputs() -> None:
    inputs = [mutated(b"announcement" * 9, random.Random(number)) for number in range(50)]
    again = [mutated(b"announcement" * 9, random.Random(number)) for number in range(50)]
    assert inputs == again
    assert len(set(inputs)) > 45


def test_a_crash_and_its_input_are_told() -> None:
    def feed(dice: random.Random) -> str:
        if dice.random() < 0.5:
            raise RuntimeError("crashed")
        return "read"

    tally = run(feed, 20, SEED)
    assert not tally.is_clean
    assert tally.outcomes.total() + len(tally.violations) == 20
    assert "RuntimeError: crashed" in tally.violations[0]
