"""Open a bundle: verify its files, read its plan, map its tables, and make its stages."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from cosyedge.core.errors import EngineFailure
from cosyedge.core.voice import Voice
from cosyedge.engine.contract import EngineSettings
from cosyedge.engine.cosyvoice.assets import open_assets
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.plan import read_plan
from cosyedge.engine.cosyvoice.stages import GRAPHS, GraphFile, Stages, is_staged
from cosyedge.engine.manifest import verified_file
from cosyedge.engine.processors import usable_threads
from cosyedge.engine.session import SessionOptions

# A hash runs outside Python's lock: two of them halve the wait.
HASHING_THREADS = 2


def open_bundle(
    voice: Voice, folder: Path, settings: EngineSettings
) -> tuple[Model, dict[str, Path]]:
    """Verify the bundle in ``folder``; return its model, no graph loaded yet, and files by role.

    Raises EngineFailure: model_missing, model_invalid.
    """
    plan = read_plan(voice.settings)
    files = verified(voice, folder)
    graphs = {name: _graph(name, files) for name in GRAPHS}
    staged = is_staged(settings.stages, settings.memory_cap_bytes, graphs)
    options = SessionOptions(threads=usable_threads(settings.threads))
    stages = Stages(graphs, options, staged=staged)
    return Model(plan, open_assets(files, plan, voice.speakers), stages), files


def verified(voice: Voice, folder: Path) -> dict[str, Path]:
    """Return the bundle's files by role, verified by size and sha256, the largest first.

    Raises EngineFailure: model_missing, model_invalid.
    """
    ordered = sorted(voice.files, key=lambda file: -file.size_bytes)
    with ThreadPoolExecutor(HASHING_THREADS) as pool:
        paths = list(pool.map(partial(verified_file, folder=folder), ordered))
    return {file.role: path for file, path in zip(ordered, paths, strict=True)}


def _graph(name: str, files: Mapping[str, Path]) -> GraphFile:
    if name not in files:
        raise EngineFailure("model_invalid", f"the manifest has no {name}")
    weights = files.get(f"{name}_weights")
    return GraphFile.of(files[name], *([weights] if weights else []))
