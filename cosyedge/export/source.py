"""The model that an export reads: tensors by official name, hyperparameters, speakers."""

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cosyedge.core.errors import SettingsError
from cosyedge.engine.cosyvoice.plan import FlowPlan, LanguagePlan, ModelPlan
from cosyedge.engine.cosyvoice.plan import VocoderPlan as RuntimeVocoder
from cosyedge.export.checkpoint import Checkpoint
from cosyedge.export.encoder import Stack
from cosyedge.export.graph import Floats
from cosyedge.export.layers import PRECISIONS, Precision
from cosyedge.export.recipe import Recipe, read_recipe
from cosyedge.export.vocoder import VocoderPlan, context_frames

Tensors = Mapping[str, Floats]

FILES = ("cosyvoice.yaml", "llm.pt", "flow.pt", "hift.pt", "spk2info.pt")
# Room for about 180 text tokens and 20 s of speech in one piece; the engine cuts far below it.
POSITIONS = 1280
TEXT_POSITIONS = 512
FLOW_POSITIONS = 1024
# Literals in the official length formula, whatever the sample rate.
MEL_RATE_HZ = 22050
MEL_HOP = 256


# What the graphs are built for, the default first.
KNOWN_VARIANTS = {
    "flow.decoder.estimator.act_fn": ("gelu",),
    "flow.decoder.cfm_params.content.solver": ("euler",),
    "llm.text_encoder.static_chunk_size": ("0", "1"),
    "flow.encoder.static_chunk_size": ("0",),
    "flow.encoder.use_dynamic_chunk": ("false",),
    "llm.text_encoder.input_layer": ("linear",),
    "flow.encoder.input_layer": ("linear",),
    "llm.llm.input_layer": ("linear_legacy",),
    **{
        f"{encoder}.{key}": known
        for encoder in ("llm.text_encoder", "llm.llm", "flow.encoder")
        for key, known in (
            ("normalize_before", ("true",)),
            ("use_cnn_module", ("false",)),
            ("macaron_style", ("false",)),
            ("pos_enc_layer_type", ("rel_pos_espnet",)),
            ("selfattention_layer_type", ("rel_selfattn",)),
        )
    },
}


@dataclass(frozen=True, slots=True)
class Source:
    """A whole model. ``digests``: sha256 of each file that it was read from.

    ``trained``: whether its speech can be judged; that of random weights cannot.
    """

    llm: Tensors
    flow: Tensors
    hift: Tensors
    speakers: Mapping[str, Floats]
    recipe: Recipe
    digests: Mapping[str, str]
    trained: bool = True

    def text_stack(self, precision: Precision) -> Stack:
        """Describe the text encoder; without chunks a text row also sees those after it."""
        chunk = self.recipe.number("llm.text_encoder.static_chunk_size", 0)
        causal = bool(chunk) or self.recipe.flag("llm.text_encoder.use_dynamic_chunk")
        activation = _activation(self.recipe, "llm.text_encoder.activation_type", "swish")
        return Stack(self.llm, "text_encoder", activation, precision, TEXT_POSITIONS, causal)

    def language_stack(self, precision: Precision) -> Stack:
        """Describe the language model."""
        activation = _activation(self.recipe, "llm.llm.activation_type", "relu")
        return Stack(self.llm, "llm", activation, precision, POSITIONS)

    def flow_stack(self, precision: Precision) -> Stack:
        """Describe the flow's encoder."""
        activation = _activation(self.recipe, "flow.encoder.activation_type", "swish")
        return Stack(self.flow, "encoder", activation, precision, FLOW_POSITIONS, causal=False)

    def check(self) -> None:
        """Raise SettingsError("model_invalid") for a variant that no graph is built for.

        And where the recipe and the weights contradict each other: sizes are the weights', but the
        vocoder's transform has none.
        """
        for key, known in KNOWN_VARIANTS.items():
            value = self.recipe.word(key, known[0]).lower()
            if value not in known:
                raise SettingsError("model_invalid", f"cosyvoice.yaml: {key} {value} is not known")
        spectra = len(self.hift["conv_post.bias"])
        if spectra != self.vocoder.n_fft + 2:
            facts = f"n_fft {self.vocoder.n_fft}, and hift.pt makes {spectra} of n_fft + 2 numbers"
            raise SettingsError("model_invalid", f"cosyvoice.yaml: {facts}")

    @property
    def estimator_heads(self) -> int:
        """Heads of the estimator's attention."""
        return self.recipe.count("flow.decoder.estimator.num_heads")

    @property
    def vocoder(self) -> VocoderPlan:
        """The vocoder's hyperparameters."""
        recipe = self.recipe
        return VocoderPlan(
            upsample_rates=recipe.counts("hift.upsample_rates", (8, 8)),
            kernels=recipe.counts("hift.resblock_kernel_sizes", (3, 7, 11)),
            dilations=recipe.counts("hift.resblock_dilation_sizes", ((1, 3, 5),) * 3),
            source_kernels=recipe.counts("hift.source_resblock_kernel_sizes", (7, 11)),
            source_dilations=recipe.counts("hift.source_resblock_dilation_sizes", ((1, 3, 5),) * 2),
            n_fft=recipe.count("hift.istft_params.n_fft", 16),
            slope=recipe.number("hift.lrelu_slope", 0.1),
        )

    def plan(self, precision: str) -> ModelPlan:
        """Gather what the engine must know."""
        return ModelPlan(
            precision=precision,
            trained=self.trained,
            rate_hz=self.recipe.count("hift.sampling_rate", 22050),
            text_tokens=self.llm["text_embedding.weight"].shape[0],
            language=self._language_plan(),
            flow=self._flow_plan(),
            vocoder=self._vocoder_plan(),
        )

    def _language_plan(self) -> LanguagePlan:
        heads, width = self.llm["llm.encoders.0.self_attn.pos_bias_u"].shape
        sampling = "llm.sampling"
        return LanguagePlan(
            layers=len(self.language_stack(PRECISIONS["fp32"]).layers),
            heads=heads,
            head_width=width,
            size=self.llm["llm_decoder.weight"].shape[1],
            positions=POSITIONS,
            text_positions=TEXT_POSITIONS,
            speech_tokens=self.llm["llm_decoder.weight"].shape[0] - 1,
            top_p=float(self.recipe.number(f"{sampling}.top_p", 0.8)),
            top_k=self.recipe.count(f"{sampling}.top_k", 25),
            repeat_window=self.recipe.count(f"{sampling}.win_size", 10),
            repeat_share=float(self.recipe.number(f"{sampling}.tau_r", 0.1)),
        )

    def _flow_plan(self) -> FlowPlan:
        content = "flow.decoder.cfm_params.content"
        return FlowPlan(
            token_rate_hz=float(self.recipe.number("flow.input_frame_rate", 50)),
            mel_bins=self.flow["encoder_proj.weight"].shape[0],
            mel_rate_hz=MEL_RATE_HZ,
            mel_hop=MEL_HOP,
            positions=FLOW_POSITIONS,
            guidance=float(self.recipe.number(f"{content}.inference_cfg_rate", 0.7)),
            schedule=self.recipe.word(f"{content}.t_scheduler", "cosine"),
        )

    def _vocoder_plan(self) -> RuntimeVocoder:
        vocoder, recipe = self.vocoder, self.recipe
        return RuntimeVocoder(
            harmonics=self.hift["m_source.l_linear.weight"].shape[1],
            source_amplitude=float(recipe.number("hift.nsf_alpha", 0.1)),
            noise=float(recipe.number("hift.nsf_sigma", 0.003)),
            voiced_above_hz=float(recipe.number("hift.nsf_voiced_threshold", 10)),
            n_fft=vocoder.n_fft,
            hop=recipe.count("hift.istft_params.hop_len", 4),
            upsampling=int(np.prod(vocoder.upsample_rates)),
            limit=float(recipe.number("hift.audio_limit", 0.99)),
            context_frames=context_frames(vocoder),
        )


def open_source(folder: Path, stack: ExitStack) -> Source:
    """Open an official model folder; ``stack`` closes its files.

    Raises SettingsError("model_missing" or "model_invalid") naming the file.
    """
    for name in FILES:
        if not (folder / name).is_file():
            raise SettingsError("model_missing", f"{folder / name} does not exist")
    opened = {name: Checkpoint(folder / name) for name in FILES[1:]}
    for checkpoint in opened.values():
        stack.callback(checkpoint.close)
    return Source(
        llm=opened["llm.pt"],
        flow=opened["flow.pt"],
        hift=_Unprefixed(opened["hift.pt"]),
        speakers=_speakers(opened["spk2info.pt"]),
        recipe=read_recipe(folder / "cosyvoice.yaml"),
        digests={name: digest(folder / name) for name in FILES},
    )


class _Unprefixed(dict[str, Floats]):
    """hift.pt saved from training carries ``generator.`` before its names."""

    def __init__(self, tensors: Tensors) -> None:
        super().__init__()
        self._tensors = tensors
        self._prefix = "generator." if "generator.conv_pre.bias" in tensors else ""

    def __missing__(self, name: str) -> Floats:
        return self._tensors[self._prefix + name]

    def __contains__(self, name: object) -> bool:
        return f"{self._prefix}{name}" in self._tensors


def _speakers(tensors: Tensors) -> dict[str, Floats]:
    """Read {name: {"embedding": [1, n]}}; other keys belong to other modes."""
    suffix = ".embedding"
    found = {
        name.removesuffix(suffix): tensors[name].reshape(-1)
        for name in tensors
        if name.endswith(suffix)
    }
    if not found:
        raise SettingsError("model_invalid", "spk2info.pt: it holds no speaker's embedding")
    return found


def _activation(recipe: Recipe, key: str, default: str) -> str:
    name = recipe.word(key, default)
    if name not in ("swish", "relu"):
        raise SettingsError("model_invalid", f"cosyvoice.yaml: {key} {name} is not known")
    return name


def digest(path: Path) -> str:
    """Return the sha256 of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
