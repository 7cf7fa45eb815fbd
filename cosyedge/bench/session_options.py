"""What ONNX Runtime's memory options cost on the default voice's graph: one process a row.

``python -m cosyedge.bench.session_options [--texts 600] [--threads 1]`` prints JSON lines:
resident MB when loaded, at the end, at the peak, after malloc_trim, and processor seconds.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cosyedge.adapters.voice_folder import find_voices, packaged_voices
from cosyedge.bench.texts import varied_texts
from cosyedge.core.speech import SpeechRequest
from cosyedge.worker import limits

ROWS: dict[str, dict[str, bool]] = {
    "arena on, pattern on": {"arena": True, "memory_pattern": True},
    "arena on, pattern on, shrunk": {"arena": True, "memory_pattern": True, "shrink_arena": True},
    "arena off, pattern on": {"arena": False, "memory_pattern": True},
    "arena off, pattern off": {"arena": False, "memory_pattern": False},
}


def measure(options: Mapping[str, bool], texts: int, threads: int) -> dict[str, float]:
    """Speak varied texts in this process and return the row's figures."""
    from cosyedge.engine.contract import Cancellation, EngineSettings
    from cosyedge.engine.hibari import load

    found = find_voices([packaged_voices()]).voices["hibari"]
    voice = load(found.voice, found.folder, EngineSettings(threads=threads, options=options))
    voice.warm_up()
    limits.give_back()
    _forget_peak()
    loaded_bytes, _ = limits.memory()
    began_s = time.process_time()
    for text in varied_texts(texts):
        list(voice.synthesize([SpeechRequest(text, "en", "hibari")], Cancellation()))
    cpu_s = time.process_time() - began_s
    end_bytes, _ = limits.memory()
    peak_bytes = _peak_bytes()
    limits.give_back()
    trimmed_bytes, _ = limits.memory()
    sizes = {
        "loaded_mb": loaded_bytes,
        "end_mb": end_bytes,
        "peak_mb": peak_bytes,
        "trimmed_mb": trimmed_bytes,
    }
    return {
        **{key: round(size / 2**20, 1) for key, size in sizes.items()},
        "cpu_s": round(cpu_s, 2),
    }


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def measure_all(texts: int, threads: int) -> list[dict[str, Any]]:
    """Return all rows, each measured in a process of its own, one after another."""
    size = ["--texts", str(texts), "--threads", str(threads)]
    command = [sys.executable, "-m", __spec__.name, *size, "--row"]
    rows = []
    for name in ROWS:
        ran = subprocess.run([*command, name], stdout=subprocess.PIPE, check=True)
        rows.append({"options": name, **json.loads(ran.stdout)})
    return rows


def main() -> None:
    """Print the table as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--row", choices=list(ROWS), help="measure this row alone, here")
    arguments = parser.parse_args()
    if arguments.row:
        figures = [measure(ROWS[arguments.row], arguments.texts, arguments.threads)]
    else:
        figures = measure_all(arguments.texts, arguments.threads)
    sys.stdout.writelines(json.dumps(row) + "\n" for row in figures)


if __name__ == "__main__":
    main()
