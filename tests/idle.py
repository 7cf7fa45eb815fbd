"""``python -m tests.idle``: what an idle daemon writes to a disk, by the kernel's account."""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.reliability.resting import PROMISED_BYTES, Rest, rest

CONFIG = '[outputs.nothing]\nkind = "null"\n'


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.idle", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    wanted = parser.parse_args()
    # Not below /tmp, which may be memory: what is written there is no write to a disk.
    with tempfile.TemporaryDirectory(prefix=".idle-", dir=Path.cwd()) as folder:
        written: Rest = asyncio.run(rest(Path(folder), CONFIG, wanted.seconds))
    for name, count in written.by_process.items():
        print(f"{name:12}{count:10} bytes")
    print(f"{written.total_bytes} bytes in {wanted.seconds:g} s, {written.a_day_bytes:.0f} a day")
    return 1 if written.a_day_bytes > PROMISED_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
