"""The layers, and the rule of one third-party library, one module."""

import os
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]

# Each library and where it may be imported. The benchmarks measure beside us, so they may.
HOMES = {
    "cronsim": "cosyedge.service.schedule",
    "onnxruntime": "cosyedge.engine.session",
    "paho": "cosyedge.adapters.mqtt",
    "psutil": "cosyedge.adapters.procstat",
    "soundfile": "cosyedge.adapters.encoding",
    "soxr": "cosyedge.adapters.resample",
    "sqlite3": "cosyedge.adapters.journal",
    "systemd": "cosyedge.adapters.systemd",
    "typer": "cosyedge.cli",
    "unicode_rbnf": "cosyedge.text",
}
SUPERVISOR = "cosyedge.daemon"
NEVER_IN_SUPERVISOR = ("onnxruntime", "typer", "rich", "cosyedge.engine", "cosyedge.worker.main")
NEVER_IN_WORKER = ("asyncio", "paho", "pydantic", "cosyedge.config", "cosyedge.service")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("cosyedge", include_external_packages=True, cache_dir=None)


def test_layers_hold() -> None:
    ended = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(("library", "home"), HOMES.items())
def test_library_is_imported_in_one_place(
    library: str, home: str, graph: grimp.ImportGraph
) -> None:
    if library not in graph.modules:
        pytest.skip(f"{library} is not used")
    importers = graph.find_modules_that_directly_import(library)
    strangers = {
        module
        for module in importers
        if not f"{module}.".startswith((f"{home}.", "cosyedge.bench."))
    }
    assert strangers == set()


@pytest.mark.parametrize(
    ("module", "banned"),
    [(SUPERVISOR, NEVER_IN_SUPERVISOR), ("cosyedge.worker.main", NEVER_IN_WORKER)],
)
def test_process_never_loads_what_it_must_not(module: str, banned: tuple[str, ...]) -> None:
    code = (
        f"import sys, {module}\n"
        f"print(*sorted(name for name in {banned!r} if name in sys.modules), sep=',')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"ORT_DISABLE_TELEMETRY": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "\n"
