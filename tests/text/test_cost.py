"""Importing the text door is cheap, and the worker's part of it needs nothing else."""

import json
import subprocess
import sys

from cosyedge.bench.text import measure
from cosyedge.text import warm

LOADED = """
import json, sys
import {module}
print(json.dumps(sorted(sys.modules)))
"""


def _loaded_by(module: str) -> set[str]:
    code = LOADED.format(module=module)
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(answer.stdout))


def test_importing_the_door_loads_no_rules_and_no_third_party() -> None:
    modules = _loaded_by("cosyedge.text")
    assert not modules & {"unicode_rbnf", "cosyedge.text.rules", "html", "numpy", "regex"}


def test_the_worker_can_import_the_splitter_alone() -> None:
    ours = {name for name in _loaded_by("cosyedge.text.splitting") if name.startswith("cosyedge")}
    assert not any(name.startswith("cosyedge.text.rules") for name in ours)
    assert not ours & {"cosyedge.config", "cosyedge.service", "cosyedge.wire"}


def test_warming_loads_what_the_first_text_needs() -> None:
    warm(["en", "fr"])
    assert {"unicode_rbnf", "cosyedge.text.languages.en"} <= sys.modules.keys()


def test_the_benchmark_gives_every_figure() -> None:
    figures = measure()
    assert {
        "normalize_60_chars_ms", "normalize_60_chars_p50_ms", "normalize_60_chars_p99_ms",
        "normalize_kib_ms", "digits_100k_ms", "import_ms", "import_rss_mb",
    } <= figures.keys()  # fmt: skip
    assert figures["import_rss_mb"] <= 8
    assert all(value >= 0 for value in figures.values())
