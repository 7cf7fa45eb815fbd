"""Small bundles for the tests: of random weights, or of the official modules' fixture."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from cosyedge.adapters.voice_folder import read_manifest
from cosyedge.engine.contract import EngineSettings, Stages
from cosyedge.engine.cosyvoice import load
from cosyedge.engine.cosyvoice.bundle import open_bundle
from cosyedge.engine.cosyvoice.engine import CosyVoice
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.export.bundle import Order, write_bundle
from cosyedge.export.random_model import SIZES, Size, random_source, single_bytes
from cosyedge.export.source import open_source

NOTHING: Mapping[str, object] = MappingProxyType({})
FIXTURE = Path(__file__).parents[1] / "fixtures" / "cosyvoice-tiny"


def quiet(part: str, number: int, count: int) -> None:
    """Hear the progress of an export."""


def export_fixture(folder: Path, precision: str) -> Path:
    with ExitStack() as stack:
        source = open_source(FIXTURE, stack)
        write_bundle(source, Order(folder, precision, None, "fixture"), quiet)
    return folder


def export_random(folder: Path, precision: str, size: Size = SIZES["tiny"], seed: int = 1) -> Path:
    with single_bytes() as vocabulary:
        order = Order(folder, precision, vocabulary, "random")
        write_bundle(random_source(size, seed), order, quiet)
    return folder


def export_endless(folder: Path) -> Path:
    """A model that never says stop and claims to be trained, so that its speech is judged."""
    source = random_source(SIZES["tiny"], 1)
    bias = source.llm["llm_decoder.bias"].copy()
    bias[-1] = -1e4
    endless = replace(source, llm={**source.llm, "llm_decoder.bias": bias}, trained=True)
    with single_bytes() as vocabulary:
        write_bundle(endless, Order(folder, "fp32", vocabulary, "endless"), quiet)
    return folder


def opened(folder: Path, stages: Stages = "resident") -> Model:
    voice = read_manifest(folder / "manifest.toml")
    return open_bundle(voice, folder, EngineSettings(threads=1, stages=stages))[0]


def loaded(
    folder: Path, stages: Stages = "resident", options: Mapping[str, object] = NOTHING
) -> CosyVoice:
    voice = read_manifest(folder / "manifest.toml")
    return load(voice, folder, EngineSettings(threads=1, stages=stages, options=options))
