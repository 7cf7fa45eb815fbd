"""Write a bundle: graphs, embeddings, constants, vocabulary, manifest; resumable part by part."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from cosyedge.engine.cosyvoice.quality import TIERS
from cosyedge.export.encoder import flow_encoder, text_encoder
from cosyedge.export.estimator import estimator
from cosyedge.export.graph import Graph
from cosyedge.export.language_model import language_model
from cosyedge.export.layers import PRECISIONS, Precision
from cosyedge.export.regulator import regulator
from cosyedge.export.source import Source, digest
from cosyedge.export.vocoder import f0_predictor, vocoder

STATE = ".export.json"
# Raise it when a graph changes: parts of an older exporter are then made again.
FORMAT = 2
LANGUAGES = ["zh", "en", "ja", "yue", "ko"]
# One piece of a sentence, in characters: short pieces are faster a second, and loop less.
MAX_CHARS = {"zh": 25, "yue": 25, "ja": 25, "ko": 25, "en": 80}
LICENCE = "Apache-2.0"


@dataclass(frozen=True, slots=True)
class Order:
    """What to write and where. ``origin`` names the model in the manifest."""

    folder: Path
    precision: str
    vocabulary: Path | None
    origin: str


Part = Callable[[Path], list[Path]]


def write_bundle(source: Source, order: Order, told: Callable[[str, int, int], None]) -> None:
    """Write the bundle into ``order.folder``, keeping parts that an earlier run finished.

    ``told`` hears each part's name, its number and their count as it begins.
    Raises SettingsError for a model that cannot be exported.
    """
    order.folder.mkdir(parents=True, exist_ok=True)
    (order.folder / "manifest.toml").unlink(missing_ok=True)
    state = _state(source, order)
    parts = dict(_parts(source, PRECISIONS[order.precision]))
    if order.vocabulary is not None:
        parts["vocabulary"] = _copied(order.vocabulary)
    for number, (name, part) in enumerate(parts.items(), 1):
        told(name, number, len(parts))
        if not _is_whole(order.folder, state["parts"].get(name)):
            files = part(order.folder)
            state["parts"][name] = {
                path.name: {"size_bytes": path.stat().st_size, "sha256": digest(path)}
                for path in files
            }
            _replace(order.folder / STATE, json.dumps(state).encode())
    manifest = _manifest(source, order, {name: state["parts"][name] for name in parts})
    _replace(order.folder / "manifest.toml", tomli_w.dumps(manifest).encode())
    (order.folder / STATE).unlink()


def _parts(source: Source, precision: Precision) -> Iterator[tuple[str, Part]]:
    source.check()
    tables, heads, plan = precision.tables, source.estimator_heads, source.vocoder

    def graph(name: str, build: Callable[[Graph], None]) -> tuple[str, Part]:
        def write(folder: Path) -> list[Path]:
            with Graph(folder, name) as g:
                build(g)
                return g.save({"format": FORMAT, "precision": precision.name})

        return name, write

    text, language = source.text_stack(precision), source.language_stack(precision)
    yield graph("text_encoder", lambda g: text_encoder(g, text))
    yield graph("language_model", lambda g: language_model(g, language))
    yield graph("flow_encoder", lambda g: flow_encoder(g, source.flow_stack(precision)))
    yield graph("regulator", lambda g: regulator(g, source.flow))
    yield graph("estimator", lambda g: estimator(g, source.flow, heads, precision))
    yield graph("f0", lambda g: f0_predictor(g, source.hift))
    yield graph("vocoder", lambda g: vocoder(g, source.hift, plan))
    yield "text_embedding", _table(source.llm, "text_embedding", "text_embedding", tables)
    yield "speech_embedding", _table(source.llm, "speech_embedding", "speech_embedding", tables)
    yield "flow_embedding", _table(source.flow, "input_embedding", "flow_embedding", tables)
    yield "constants", lambda folder: _constants(source, folder)


def _table(tensors: Any, tensor: str, name: str, dtype: type[np.floating]) -> Part:
    def write(folder: Path) -> list[Path]:
        path = folder / f"{name}.npy"
        np.save(path, tensors[f"{tensor}.weight"].astype(dtype))
        return [path]

    return write


def _constants(source: Source, folder: Path) -> list[Path]:
    """Small arrays: markers, the two speaker layers, the source's mixing, speakers' embeddings."""
    arrays = {
        "markers": source.llm["llm_embedding.weight"],
        "language_speaker_weight": source.llm["spk_embed_affine_layer.weight"],
        "language_speaker_bias": source.llm["spk_embed_affine_layer.bias"],
        "flow_speaker_weight": source.flow["spk_embed_affine_layer.weight"],
        "flow_speaker_bias": source.flow["spk_embed_affine_layer.bias"],
        "source_weight": source.hift["m_source.l_linear.weight"].reshape(-1),
        "source_bias": source.hift["m_source.l_linear.bias"],
        "speakers": np.stack(list(source.speakers.values())),
    }
    path = folder / "constants.npz"
    np.savez(path, allow_pickle=False, **arrays)
    return [path]


def _copied(vocabulary: Path) -> Part:
    def write(folder: Path) -> list[Path]:
        path = folder / "vocabulary.tiktoken"
        shutil.copyfile(vocabulary, path)
        return [path]

    return write


def _manifest(source: Source, order: Order, parts: dict[str, Any]) -> dict[str, Any]:
    files = [
        {"role": f"{part}_weights" if name.endswith(".bin") else part, "path": name, **entry}
        for part, entries in parts.items()
        for name, entry in entries.items()
    ]
    plan = source.plan(order.precision)
    speakers = list(source.speakers)
    return {
        "engine": "cosyvoice",
        "rate_hz": plan.rate_hz,
        "languages": LANGUAGES,
        "licence": LICENCE,
        "speakers": speakers,
        "default_speaker": speakers[0],
        "reads_numbers": False,
        "takes_phonemes": False,
        "max_chars": MAX_CHARS,
        "first_sound_s": 4.5,
        "real_time_factor": 2.2,
        "source": {"origin": order.origin, "sha256": dict(source.digests)},
        "settings": {"tiers": list(TIERS), **plan.settings()},
        "files": files,
    }


def _state(source: Source, order: Order) -> dict[str, Any]:
    """Return what an interrupted run of the same order left, or a new state."""
    vocabulary = digest(order.vocabulary) if order.vocabulary else None
    key = {
        "format": FORMAT,
        "precision": order.precision,
        "sources": dict(source.digests),
        "vocabulary": vocabulary,
    }
    try:
        state = json.loads((order.folder / STATE).read_bytes())
        if state["key"] == key:
            return dict(state)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {"key": key, "parts": {}}


def _is_whole(folder: Path, entries: dict[str, Any] | None) -> bool:
    return entries is not None and all(
        (folder / name).is_file() and digest(folder / name) == entry["sha256"]
        for name, entry in entries.items()
    )


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_bytes(data)
    temporary.replace(path)
