"""``python -m tests.hostility``: how long the daemon's loop waits under hostile payloads."""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.reliability.hostility import WIDEST, measure

PROMISED_S = 0.05


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostility", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--flood", type=int, default=10_000)
    parser.add_argument("--widest", action="store_true", help="with the highest limits")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cosyedge-hostility-") as folder:
        work = measure(
            Path(folder),
            rounds=wanted.rounds,
            flood=wanted.flood,
            limits=WIDEST if wanted.widest else "",
        )
        lags = asyncio.run(work)
    print(f"{'payloads':26}{'messages':>9}{'took, s':>9}{'late, ms':>10}{'of it ours, ms':>16}")
    for lag in lags:
        times = f"{lag.took_s:9.2f}{1e3 * lag.late_s:10.1f}{1e3 * lag.cpu_s:16.1f}"
        print(f"{lag.kind:26}{lag.messages:9}{times}")
    return 1 if max(lag.late_s for lag in lags) > PROMISED_S else 0


if __name__ == "__main__":
    sys.exit(main())
