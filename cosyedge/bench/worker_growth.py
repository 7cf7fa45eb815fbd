"""Whether a worker's memory grows: thousands of texts through one, as the daemon runs it.

``python -m cosyedge.bench.worker_growth [--texts 2000]`` prints one JSON line: resident MB at the
start, after the first tenth, at the end and at most, and the slope in KB a text after that tenth.
``--voice FOLDER`` measures another bundle than the default voice.
"""

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cosyedge.adapters.procstat import cpu_s, rss_bytes
from cosyedge.adapters.voice_folder import find_voices, packaged_voices
from cosyedge.bench.texts import varied_texts
from cosyedge.core.speech import SpeechRequest
from cosyedge.worker.client import WorkerClient
from cosyedge.worker.settings import WorkerSettings

DEFAULT_VOICE = "hibari"
# A sentence of a large voice takes half a minute on a busy machine.
DEADLINE_S = 120.0


async def measure(
    texts: Sequence[str], settings: WorkerSettings, folder: Path | None = None
) -> dict[str, Any]:
    """Speak the texts and return the figures; raises EngineFailure where one is not spoken.

    ``folder`` is the voice's; None is the default voice.
    """
    folder = folder or packaged_voices() / DEFAULT_VOICE
    found = find_voices([folder.parent]).voices[folder.name]
    client = WorkerClient(found.voice, found.folder, settings, rss_of=rss_bytes)
    await client.start()
    sizes = [client.rss_bytes()]
    try:
        for text in texts:
            request = SpeechRequest(text, found.voice.languages[0], folder.name)
            answers = client.synthesize([request], deadline_s=DEADLINE_S)
            sizes += [client.rss_bytes() async for _ in answers]
        used_s = cpu_s(client.pid) if client.pid else 0.0
        return {**_figures(sizes), **client.counters, "cpu_s": round(used_s, 2)}
    finally:
        await client.stop()


def _figures(sizes: list[int]) -> dict[str, float]:
    warm = len(sizes) // 10
    settled = np.array(sizes[warm:])
    slope_bytes = float(np.polyfit(np.arange(len(settled)), settled, 1)[0])
    edges = {
        "start_mb": sizes[0],
        "warm_mb": sizes[warm],
        "end_mb": sizes[-1],
        "peak_mb": max(sizes),
    }
    in_mb = {key: round(size / 2**20, 1) for key, size in edges.items()}
    return {"texts": len(sizes) - 1, **in_mb, "slope_kb_per_text": round(slope_bytes / 1024, 2)}


def main() -> None:
    """Print the figures as one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--longest", type=int, default=200, help="cut texts to so many characters")
    parser.add_argument("--voice", type=Path, help="a voice's folder")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--recycle-above-mb", type=int, help="replace a larger worker")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    settings = WorkerSettings(threads=arguments.threads)
    if arguments.recycle_above_mb:
        settings = replace(settings, recycle_above_bytes=arguments.recycle_above_mb << 20)
    texts = [text[: arguments.longest] for text in varied_texts(arguments.texts)]
    figures = asyncio.run(measure(texts, settings, arguments.voice))
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
