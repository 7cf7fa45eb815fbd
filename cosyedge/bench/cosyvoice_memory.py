"""Load a bundle in this process, speak one sentence, and print what that took, as JSON."""

import json
import sys
import time
from pathlib import Path
from typing import cast

from cosyedge.adapters.voice_folder import read_manifest
from cosyedge.bench.cosyvoice import SPEECH_TOKENS, TEXT_TOKENS, piece
from cosyedge.engine.contract import EngineSettings, Stages
from cosyedge.engine.cosyvoice import load
from cosyedge.engine.cosyvoice.watch import unwatched


def main(folder: Path, mode: Stages) -> None:
    """Print the load's seconds and the peak resident memory in MB."""
    for path in folder.iterdir():
        path.read_bytes()
    began = time.perf_counter()
    voice = load(read_manifest(folder / "manifest.toml"), folder, EngineSettings(stages=mode))
    load_s = time.perf_counter() - began
    # What was read to warm the page cache is not the worker's.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    voice.warm_up()
    list(voice.speak([piece(voice, 0, "standard", TEXT_TOKENS, SPEECH_TOKENS)], unwatched()))
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    peak_kib = int(status.partition("VmHWM:")[2].split()[0])
    sys.stdout.write(json.dumps({"load_s": load_s, "peak_mb": peak_kib * 1024 / 1e6}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), cast(Stages, sys.argv[2]))
