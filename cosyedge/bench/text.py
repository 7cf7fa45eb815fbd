"""Measure the text door: reading speed by length, and what importing it costs."""

import subprocess
import sys
import time

from cosyedge.core.errors import Refusal
from cosyedge.text import ReadingOptions, read

#: About 60 characters each: announcements as homes and factories send them.
ANNOUNCEMENTS = {
    "en": "Pump E-100 in room A-205 stopped at 10:05, temp is 85.5°C !!",
    "zh": "水箱 A-205 温度 85.5°C，请立即处理。现在 10:05，2号线停电，"
    "产量1,234件，预计15分钟恢复，请等待。",
    "yue": "而家10:05，室外 -3°C，2號線暫停服務，請各位乘客轉乘其他路線，"
    "預計15分鐘後恢復正常服務，多謝各位合作。",
    "ja": "ポンプ E-100 が10:05に停止しました。室温は22.5℃、外は-3℃です。"
    "2号機を点検してください、残り15分。",
    "ko": "펌프 E-100이 10:05에 정지했습니다. 실내 온도는 22.5℃입니다. "
    "작업자 3명이 15분 뒤 도착합니다.",
    "de": "Pumpe E-100 in Raum A-205 steht seit 8:30 Uhr, es sind 85,5 °C.",
}
ROUNDS = 200
_IMPORT = """
import os, time
def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = resident_bytes()
began = time.perf_counter()
import cosyedge.text
print((time.perf_counter() - began) * 1000, (resident_bytes() - before) / 1e6)
"""


def measure() -> dict[str, float]:
    """Give times in milliseconds and resident memory in MB; takes a few seconds."""
    import_ms, import_rss_mb = _import_cost()
    sentences = [_times_ms(text, lang, ROUNDS) for lang, text in ANNOUNCEMENTS.items()]
    all_ms = sorted(ms for times in sentences for ms in times)
    long = [
        # The best of ten: what else runs on the box is not the reader's cost.
        _times_ms((text + " ") * (1024 // len(text) + 1), lang, 10)[0]
        for lang, text in ANNOUNCEMENTS.items()
    ]
    return {
        "normalize_60_chars_ms": round(max(map(_median, sentences)), 3),
        "normalize_60_chars_p50_ms": round(_median(all_ms), 3),
        "normalize_60_chars_p99_ms": round(all_ms[len(all_ms) * 99 // 100], 3),
        "normalize_kib_ms": round(max(long), 2),
        "digits_100k_ms": round(_refusal_ms("9" * 100_000), 3),
        "import_ms": round(import_ms, 1),
        "import_rss_mb": round(import_rss_mb, 2),
    }


def _times_ms(text: str, lang: str, rounds: int) -> list[float]:
    options = ReadingOptions(lang=lang, text_max_chars=4096)
    read(text, options)
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        read(text, options)
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times)


def _median(times: list[float]) -> float:
    return times[len(times) // 2]


def _refusal_ms(text: str) -> float:
    began = time.perf_counter()
    try:
        read(text, ReadingOptions(lang="en"))
    except Refusal:
        return (time.perf_counter() - began) * 1000
    raise AssertionError("a text of 100,000 digits was not refused")


def _import_cost() -> tuple[float, float]:
    """Give (ms, MB) of an import in a fresh process: the best of five, the first fills caches."""
    runs = []
    for _ in range(5):
        out = subprocess.run(
            [sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True, timeout=60
        ).stdout.split()
        runs.append((float(out[0]), float(out[1])))
    return min(runs)
