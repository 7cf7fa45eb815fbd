"""``python -m tests.fuzz [KIND ...] [--seed N] [--share S]``: all kinds of nonsense, or some.

Prints, for each kind, what came of the inputs and the longest time of one; ends with 1 where
anything crashed, took a second or passed with a changed byte.
"""

import argparse
import faulthandler
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.fuzz import cache_entries, configuration, flips, journal_files, payloads, worker_frames
from tests.fuzz.feeding import SHOWN, Feed, Tally, folder_in_memory, run

#: Makers of feeds in a folder, and how many inputs ``make fuzz`` gives each.
KINDS: dict[str, tuple[Callable[[Path], Feed], int]] = {
    "payloads": (lambda _: payloads.feed, 1_000_000),
    "frames": (lambda _: worker_frames.feed, 20_000),
    "cache": (cache_entries.make_feed, 20_000),
    "journal": (journal_files.make_feed, 20_000),
    "configuration": (configuration.make_feed, 20_000),
    "cache-flips": (flips.make_cache_feed, 1_000),
    "model-flips": (flips.make_model_feed, 1_000),
    "journal-flips": (flips.make_journal_feed, 1_000),
}
#: An input that never comes back ends the run, and shows where it hung.
STUCK_S = 60


def beat(number: int) -> None:
    """Show that the inputs go on."""
    if number % 256 == 0:
        faulthandler.dump_traceback_later(STUCK_S, exit=True)


def report(name: str, count: int, tally: Tally, took_s: float) -> None:
    """Print one kind."""
    outcomes = ", ".join(f"{number} {word}" for word, number in tally.outcomes.most_common())
    print(f"{name}: {count} in {took_s:.0f} s; longest {1e3 * tally.longest_s:.1f} ms; {outcomes}")
    for violation in tally.violations[:SHOWN]:
        print(violation)
    if tally.violations:
        print(f"{name}: {len(tally.violations)} violations")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the inputs of each kind")
    wanted = parser.parse_args()
    unknown = set(wanted.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    clean = True
    for name in wanted.kinds or KINDS:
        make_feed, count = KINDS[name]
        count = max(1, round(count * wanted.share))
        with folder_in_memory() as folder:
            begun = time.monotonic()
            tally = run(make_feed(folder), count, wanted.seed, beat=beat)
        report(name, count, tally, time.monotonic() - begun)
        clean = clean and tally.is_clean
    faulthandler.cancel_dump_traceback_later()
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
