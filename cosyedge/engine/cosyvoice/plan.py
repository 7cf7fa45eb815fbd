"""The dimensions and hyperparameters of one CosyVoice bundle, as its manifest's settings give them.

The exporter writes them, the engine reads them; nothing else in the package knows a size.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from cosyedge.core.errors import EngineFailure

# The cached attention of ONNX Runtime takes heads of a multiple of this.
WIDTH_STEP = 8


def cache_width(head_width: int) -> int:
    """Return the width of a head in the cache: zeros follow its own."""
    return -(-head_width // WIDTH_STEP) * WIDTH_STEP


@dataclass(frozen=True, slots=True)
class LanguagePlan:
    """The language model: sizes of its cache, and the official sampling (repetition-aware).

    ``positions``: the most rows (prefix and tokens) that its position tables reach.
    ``text_positions``: the most text tokens of one piece.
    ``repeat_window``, ``repeat_share``: a token found at least window·share times among the last
    window ones is drawn again from the whole distribution.
    """

    layers: int
    heads: int
    head_width: int
    size: int
    positions: int
    text_positions: int
    speech_tokens: int
    top_p: float
    top_k: int
    repeat_window: int
    repeat_share: float


@dataclass(frozen=True, slots=True)
class FlowPlan:
    """The flow: tokens a second, mel bins, and how it is integrated.

    ``positions``: the most speech tokens of one piece. ``mel_rate_hz``, ``mel_hop``: samples a
    second and a frame that the official length formula uses.
    """

    token_rate_hz: float
    mel_bins: int
    mel_rate_hz: int
    mel_hop: int
    positions: int
    guidance: float
    schedule: str


@dataclass(frozen=True, slots=True)
class VocoderPlan:
    """The vocoder: its harmonic source, its transform, and the context that makes chunks exact.

    ``upsampling``: spectra a mel frame. ``source_amplitude``, ``noise``: of voiced and unvoiced.
    """

    harmonics: int
    source_amplitude: float
    noise: float
    voiced_above_hz: float
    n_fft: int
    hop: int
    upsampling: int
    limit: float
    context_frames: int


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """All of a bundle's numbers. ``text_tokens`` is the size of the text embedding.

    ``trained``: whether the speech can be judged at all; random weights make noise.
    """

    precision: str
    trained: bool
    rate_hz: int
    text_tokens: int
    language: LanguagePlan
    flow: FlowPlan
    vocoder: VocoderPlan

    @property
    def samples_per_frame(self) -> int:
        """Samples that one mel frame becomes."""
        return self.vocoder.upsampling * self.vocoder.hop

    def mel_frames(self, tokens: int) -> int:
        """Return how many mel frames ``tokens`` speech tokens become, as upstream rounds."""
        flow = self.flow
        return int(tokens / flow.token_rate_hz * flow.mel_rate_hz / flow.mel_hop)

    def settings(self) -> dict[str, Any]:
        """Return the manifest's [settings]."""
        return asdict(self)


def read_plan(settings: Mapping[str, Any]) -> ModelPlan:
    """Read [settings]; raises EngineFailure("model_invalid") naming the key at fault."""
    sections = {"language": LanguagePlan, "flow": FlowPlan, "vocoder": VocoderPlan}
    parts = {name: _read(kind, name, settings.get(name)) for name, kind in sections.items()}
    return ModelPlan(
        precision=_value(settings, "precision", str),
        trained=_value(settings, "trained", bool),
        rate_hz=_value(settings, "rate_hz", int),
        text_tokens=_value(settings, "text_tokens", int),
        **parts,
    )


def _read(kind: type[Any], name: str, section: object) -> Any:
    if not isinstance(section, Mapping):
        raise EngineFailure("model_invalid", f"manifest: settings.{name} is missing")
    return kind(**{field.name: _value(section, field.name, field.type) for field in fields(kind)})


def _value(section: Mapping[str, Any], key: str, kind: Any) -> Any:
    value = section.get(key)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise EngineFailure("model_invalid", f"manifest: settings: {key} is missing or wrong")
    return value
