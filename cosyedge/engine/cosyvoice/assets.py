"""What a bundle holds beside its graphs: embeddings on the disk, constants and speakers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.cosyvoice.plan import ModelPlan

Floats = NDArray[np.float32]

TABLES = ("text", "speech", "flow")
CONSTANTS = (
    "markers",
    "language_speaker_weight",
    "language_speaker_bias",
    "flow_speaker_weight",
    "flow_speaker_bias",
    "source_weight",
    "source_bias",
    "speakers",
)


class Embedding:
    """Rows of a table that stays on the disk; half floats are widened as they are read."""

    def __init__(self, path: Path) -> None:
        """Map the table; raises EngineFailure("model_invalid")."""
        try:
            self._rows = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise EngineFailure("model_invalid", f"{path.name} cannot be read") from error

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._rows)

    def __call__(self, ids: Sequence[int]) -> Floats:
        """Return the rows [n, size] of ``ids``."""
        return np.asarray(self._rows[np.asarray(ids, np.int64)], np.float32)


@dataclass(frozen=True, slots=True)
class Assets:
    """A bundle's tables. ``markers`` [2, size] stand before and after the text."""

    text: Embedding
    speech: Embedding
    flow: Embedding
    constants: Mapping[str, Floats]
    speakers: tuple[str, ...]

    def embedding(self, speaker: str) -> Floats:
        """Return a speaker's embedding [n]; raises EngineFailure("engine_error")."""
        if speaker not in self.speakers:
            known = ", ".join(self.speakers)
            raise EngineFailure("engine_error", f"no speaker {speaker!r}; there are {known}")
        found: Floats = self.constants["speakers"][self.speakers.index(speaker)]
        return found

    def language_speaker(self, embedding: Floats) -> Floats:
        """Return the language model's row [1, size] for an embedding [n]."""
        return self._projected(embedding, "language_speaker")

    def flow_speaker(self, embedding: Floats) -> Floats:
        """Return the flow's row [1, mel] for an embedding [n]."""
        return self._projected(embedding, "flow_speaker")

    def _projected(self, embedding: Floats, name: str) -> Floats:
        weight, bias = self.constants[f"{name}_weight"], self.constants[f"{name}_bias"]
        unit = embedding / max(float(np.linalg.norm(embedding)), 1e-12)
        return np.asarray((weight @ unit + bias)[None], np.float32)


def open_assets(files: Mapping[str, Path], plan: ModelPlan, speakers: tuple[str, ...]) -> Assets:
    """Open the tables; raises EngineFailure("model_invalid") if one does not fit the plan."""
    try:
        with np.load(files["constants"], allow_pickle=False) as archive:
            constants = {name: archive[name].astype(np.float32) for name in CONSTANTS}
    except (OSError, ValueError, KeyError) as error:
        raise EngineFailure("model_invalid", "constants.npz cannot be read") from error
    text, speech, flow = (Embedding(files[f"{name}_embedding"]) for name in TABLES)
    if len(text) != plan.text_tokens or len(constants["speakers"]) != len(speakers):
        raise EngineFailure("model_invalid", "the tables are not what the manifest says")
    return Assets(text, speech, flow, constants, speakers)
