"""``python -m tests.chaos [--kills N] [--seed S]``: status 1 if an id was lost or told twice."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.chaos import kills


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=kills.__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cosyedge-chaos-") as folder:
        toll = kills.run(Path(folder), kills=wanted.kills, seed=wanted.seed)
    seen = toll.seen
    print(f"kills            {toll.kills} in {toll.took_s:.0f} s, seed {wanted.seed}")
    print(f"published        {len(toll.published)}")
    print(f"accepted, ended  {len(seen.accepted)}, {len(seen.ends)}")
    print(f"lost             {len(toll.lost)} {sorted(toll.lost)[:5]}")
    print(f"ended twice      {len(toll.told_twice)} {sorted(toll.told_twice)[:5]}")
    print(f"ends             {dict(seen.reasons)}")
    print(f"rejected         {dict(seen.rejected)}")
    print(f"same event twice {seen.repeated} (the outbox delivers at least once)")
    print(f"heard again      {toll.heard_again}, after their end {len(seen.clips_after_the_end)}")
    return 1 if toll.lost or toll.told_twice or seen.clips_after_the_end else 0


if __name__ == "__main__":
    sys.exit(main())
