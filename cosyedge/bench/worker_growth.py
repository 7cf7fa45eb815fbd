"""Whether a worker's memory grows: thousands of texts through one, as the daemon runs it.

``python -m cosyedge.bench.worker_growth [--texts 2000]`` prints one JSON line: resident MB at the
start, at the end and at most, and the slope in KB a text after the first tenth.
"""

import argparse
import asyncio
import json
import logging
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from cosyedge.adapters.procstat import cpu_s, rss_bytes
from cosyedge.adapters.voice_folder import find_voices, packaged_voices
from cosyedge.bench.texts import varied_texts
from cosyedge.core.speech import SpeechRequest
from cosyedge.worker.client import WorkerClient
from cosyedge.worker.settings import WorkerSettings


async def measure(texts: int, settings: WorkerSettings, voice: str = "hibari") -> dict[str, Any]:
    """Speak varied texts and return the figures; raises EngineFailure where one is not spoken."""
    found = find_voices([packaged_voices()]).voices[voice]
    client = WorkerClient(found.voice, found.folder, settings, rss_of=rss_bytes)
    await client.start()
    sizes = [client.rss_bytes()]
    try:
        for text in varied_texts(texts):
            request = SpeechRequest(text, found.voice.languages[0], voice)
            answers = client.synthesize([request], deadline_s=60)
            sizes += [client.rss_bytes() async for _ in answers]
        used_s = cpu_s(client.pid) if client.pid else 0.0
        return {**_figures(sizes), **client.counters, "cpu_s": round(used_s, 2)}
    finally:
        await client.stop()


def _figures(sizes: list[int]) -> dict[str, float]:
    settled = np.array(sizes[len(sizes) // 10 :])
    slope_bytes = float(np.polyfit(np.arange(len(settled)), settled, 1)[0])
    edges = {"start_mb": sizes[0], "end_mb": sizes[-1], "peak_mb": max(sizes)}
    in_mb = {key: round(size / 2**20, 1) for key, size in edges.items()}
    return {"texts": len(sizes) - 1, **in_mb, "slope_kb_per_text": round(slope_bytes / 1024, 2)}


def main() -> None:
    """Print the figures as one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--recycle-above-mb", type=int, help="replace a larger worker")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    settings = WorkerSettings(threads=arguments.threads)
    if arguments.recycle_above_mb:
        settings = replace(settings, recycle_above_bytes=arguments.recycle_above_mb << 20)
    figures = asyncio.run(measure(arguments.texts, settings))
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
