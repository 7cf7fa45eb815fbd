"""``python -m tests.soak``: a flood of 10,000 messages, then 2,000 random texts for a worker."""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.reliability.floods import flood


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--texts", type=int, default=2_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cosyedge-soak-") as folder:
        told = asyncio.run(flood(Path(folder), wanted.messages))
    print(f"sent {told.sent}, accepted {told.accepted}, rejected {told.rejected}")
    print(f"ended {told.ended}, answered {told.taken_per_s:.0f} a second")
    print(
        f"rise {told.rss_rise_bytes / 1e6:.1f} MB, urgent after {told.urgent_s:.2f} s", flush=True
    )
    kept = told.accepted + told.rejected == told.sent and told.ended == told.accepted
    if wanted.texts:
        argv = [sys.executable, "-m", "cosyedge.bench.worker_growth", "--texts", str(wanted.texts)]
        subprocess.run(argv, check=True)
    return 0 if kept and told.rss_rise_bytes <= 20e6 else 1


if __name__ == "__main__":
    sys.exit(main())
