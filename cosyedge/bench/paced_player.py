"""A sound card that isn't there: reads s16le mono at its rate, and reports the first sample.

``python paced_player.py SOCKET ZONE RATE`` sends ``ZONE SECONDS`` (monotonic) to a datagram
socket when it has the first byte. It imports little, so that its start costs what aplay's does.
"""

import os
import socket
import sys
import time

BLOCK_S = 0.01


def main(reports: str, zone: str, rate_hz: int) -> None:
    """Read until the end of the input, never ahead of real time by more than a block."""
    block_bytes = 2 * round(rate_hz * BLOCK_S)
    due_at = 0.0
    while data := os.read(0, block_bytes):
        now = time.monotonic()
        if not due_at:
            _report(reports, f"{zone} {now!r}")
        due_at = max(due_at, now) + len(data) / 2 / rate_hz
        time.sleep(max(0.0, due_at - time.monotonic()))


def _report(reports: str, words: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.sendto(words.encode("ascii"), reports)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
