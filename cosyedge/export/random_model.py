"""A model of random weights in the official layout: for benchmarks at full size, tests at any.

Each tensor is drawn from its own name when it is asked for, so that no more than one is in memory.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cosyedge.export.graph import Floats
from cosyedge.export.recipe import Recipe
from cosyedge.export.source import Source

SPEAKERS = ("中文女", "中文男", "日语男", "粤语女", "英文女", "英文男", "韩语女")
SPEAKER_SIZE = 192
MEL = 80
HARMONICS = 9
RATES = (8, 8)
KERNELS = (3, 7, 11)
SOURCE_KERNELS = (7, 11)
DILATIONS = (1, 3, 5)
N_FFT, HOP = 16, 4


@dataclass(frozen=True, slots=True)
class Size:
    """The free sizes of a model; heads are size / head width."""

    text_tokens: int
    speech_tokens: int
    text: int
    language: int
    language_inner: int
    head_width: int
    text_layers: int
    language_layers: int
    flow: int
    flow_inner: int
    flow_head_width: int
    flow_layers: int
    channels: int
    estimator_heads: int
    estimator_head_width: int
    blocks: int
    mid_blocks: int
    vocoder: int
    f0: int


SIZES = {
    "full": Size(51866, 4096, 512, 1024, 4096, 64, 6, 14, 512, 2048, 64, 6, 256, 8, 64, 4, 12,
                 512, 512),
    "tiny": Size(51866, 128, 16, 64, 128, 16, 2, 2, 32, 64, 16, 2, 32, 2, 16, 1, 2, 32, 32),
}  # fmt: skip


class RandomTensors(Mapping[str, Floats]):
    """Tensors drawn by name: weights within ±1/√fan-in as PyTorch begins, gains of one."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], seed: int) -> None:
        self._shapes = shapes
        self._seed = seed

    def __getitem__(self, name: str) -> Floats:
        """Draw the tensor ``name``."""
        shape = self._shapes[name]
        random = np.random.default_rng([self._seed, zlib.crc32(name.encode())])
        if "embedding" in name:
            return random.standard_normal(shape, np.float32)
        if len(shape) == 1 and name.endswith((".weight", ".alpha")):
            return 1 + 0.1 * random.standard_normal(shape, np.float32)
        fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else shape[0]
        return (random.random(shape, np.float32) * 2 - 1) / np.float32(max(1, fan_in) ** 0.5)

    def __iter__(self) -> Iterator[str]:
        """Name the tensors."""
        return iter(self._shapes)

    def __len__(self) -> int:
        """Count the tensors."""
        return len(self._shapes)


def random_source(size: Size, seed: int) -> Source:
    """Return a model of random weights; equal arguments give equal weights."""
    random = np.random.default_rng(seed)
    return Source(
        llm=RandomTensors(dict(_llm(size)), seed),
        flow=RandomTensors(dict(_flow(size)), seed),
        hift=RandomTensors(dict(_hift(size)), seed),
        speakers={name: random.standard_normal(SPEAKER_SIZE, np.float32) for name in SPEAKERS},
        recipe=Recipe(Path("random"), _recipe(size)),
        digests={},
        trained=False,
    )


@contextmanager
def single_bytes() -> Iterator[Path]:
    """Lend a vocabulary of single bytes, in tiktoken's format: enough to speak noise with."""
    lines = [b"%s %d" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bytes.tiktoken"
        path.write_bytes(b"\n".join(lines))
        yield path


Shapes = Iterator[tuple[str, tuple[int, ...]]]


def _linear(name: str, outputs: int, inputs: int) -> Shapes:
    yield f"{name}.weight", (outputs, inputs)
    yield f"{name}.bias", (outputs,)


def _conv(name: str, outputs: int, inputs: int, kernel: int) -> Shapes:
    yield f"{name}.weight", (outputs, inputs, kernel)
    yield f"{name}.bias", (outputs,)


def _norm(name: str, size: int) -> Shapes:
    yield f"{name}.weight", (size,)
    yield f"{name}.bias", (size,)


def _encoder(
    name: str, inputs: int, size: int, inner: int, head: int, layers: int, norms: tuple[str, str]
) -> Shapes:
    yield from _linear(f"{name}.embed.out.0", size, inputs)
    yield from _norm(f"{name}.embed.out.1", size)
    yield from _norm(f"{name}.after_norm", size)
    for index in range(layers):
        layer = f"{name}.encoders.{index}"
        for part in ("q", "k", "v", "out"):
            yield from _linear(f"{layer}.self_attn.linear_{part}", size, size)
        yield f"{layer}.self_attn.linear_pos.weight", (size, size)
        yield f"{layer}.self_attn.pos_bias_u", (size // head, head)
        yield f"{layer}.self_attn.pos_bias_v", (size // head, head)
        yield from _linear(f"{layer}.feed_forward.w_1", inner, size)
        yield from _linear(f"{layer}.feed_forward.w_2", size, inner)
        for norm in norms:
            yield from _norm(f"{layer}.{norm}", size)


def _llm(s: Size) -> Shapes:
    yield "text_embedding.weight", (s.text_tokens, s.text)
    yield from _encoder(
        "text_encoder",
        s.text,
        s.language,
        s.language_inner,
        s.head_width,
        s.text_layers,
        ("norm_mha", "norm_ff"),
    )
    yield from _linear("text_encoder_affine_layer", s.language, s.language)
    yield "llm_embedding.weight", (2, s.language)
    yield from _encoder(
        "llm",
        s.language,
        s.language,
        s.language_inner,
        s.head_width,
        s.language_layers,
        ("norm1", "norm2"),
    )
    yield from _linear("llm_decoder", s.speech_tokens + 1, s.language)
    yield "speech_embedding.weight", (s.speech_tokens, s.language)
    yield from _linear("spk_embed_affine_layer", s.language, SPEAKER_SIZE)


def _flow(s: Size) -> Shapes:
    yield "input_embedding.weight", (s.speech_tokens, s.flow)
    yield from _linear("spk_embed_affine_layer", MEL, SPEAKER_SIZE)
    yield from _encoder(
        "encoder",
        s.flow,
        s.flow,
        s.flow_inner,
        s.flow_head_width,
        s.flow_layers,
        ("norm_mha", "norm_ff"),
    )
    yield from _linear("encoder_proj", MEL, s.flow)
    for index in range(0, 12, 3):
        yield from _conv(f"length_regulator.model.{index}", MEL, MEL, 3)
        yield from _norm(f"length_regulator.model.{index + 1}", MEL)
    yield from _conv("length_regulator.model.12", MEL, MEL, 1)
    yield from _estimator(s)


def _estimator(s: Size) -> Shapes:
    name, c = "decoder.estimator", s.channels
    yield from _linear(f"{name}.time_mlp.linear_1", 4 * c, 4 * MEL)
    yield from _linear(f"{name}.time_mlp.linear_2", 4 * c, 4 * c)
    stages = [("down_blocks.0", 4 * MEL), ("down_blocks.1", c)]
    stages += [(f"mid_blocks.{index}", c) for index in range(s.mid_blocks)]
    stages += [("up_blocks.0", 2 * c), ("up_blocks.1", 2 * c)]
    for stage, inputs in stages:
        yield from _stage(f"{name}.{stage}", inputs, s)
    yield from _conv(f"{name}.down_blocks.0.2.conv", c, c, 3)
    yield from _conv(f"{name}.down_blocks.1.2", c, c, 3)
    yield from _conv(f"{name}.up_blocks.0.2.conv", c, c, 4)
    yield from _conv(f"{name}.up_blocks.1.2", c, c, 3)
    yield from _conv(f"{name}.final_block.block.0", c, c, 3)
    yield from _norm(f"{name}.final_block.block.1", c)
    yield from _conv(f"{name}.final_proj", MEL, c, 1)


def _stage(name: str, inputs: int, s: Size) -> Shapes:
    c, inner = s.channels, s.estimator_heads * s.estimator_head_width
    yield from _linear(f"{name}.0.mlp.1", c, 4 * c)
    for block, channels in (("block1", inputs), ("block2", c)):
        yield from _conv(f"{name}.0.{block}.block.0", c, channels, 3)
        yield from _norm(f"{name}.0.{block}.block.1", c)
    yield from _conv(f"{name}.0.res_conv", c, inputs, 1)
    for index in range(s.blocks):
        block = f"{name}.1.{index}"
        yield from _norm(f"{block}.norm1", c)
        for part in "qkv":
            yield f"{block}.attn1.to_{part}.weight", (inner, c)
        yield from _linear(f"{block}.attn1.to_out.0", c, inner)
        yield from _norm(f"{block}.norm3", c)
        yield from _linear(f"{block}.ff.net.0.proj", 4 * c, c)
        yield from _linear(f"{block}.ff.net.2", c, 4 * c)


def _hift(s: Size) -> Shapes:
    lines = N_FFT + 2
    yield from _linear("m_source.l_linear", 1, HARMONICS)
    yield from _conv("conv_pre", s.vocoder, MEL, 7)
    yield from _conv("conv_post", lines, s.vocoder >> len(RATES), 7)
    for index in range(5):
        yield from _conv(f"f0_predictor.condnet.{2 * index}", s.f0, s.f0 if index else MEL, 3)
    yield from _linear("f0_predictor.classifier", 1, s.f0)
    for stage, rate in enumerate(RATES):
        c = s.vocoder >> (stage + 1)
        yield f"ups.{stage}.weight", (2 * c, c, 2 * rate)
        yield f"ups.{stage}.bias", (c,)
        down = int(np.prod(RATES[stage + 1 :]))
        yield from _conv(f"source_downs.{stage}", c, lines, 2 * down if down > 1 else 1)
        yield from _resblock(f"source_resblocks.{stage}", c, SOURCE_KERNELS[stage])
        for index, kernel in enumerate(KERNELS):
            yield from _resblock(f"resblocks.{stage * len(KERNELS) + index}", c, kernel)


def _resblock(name: str, channels: int, kernel: int) -> Shapes:
    for index in range(len(DILATIONS)):
        for part in (1, 2):
            yield from _conv(f"{name}.convs{part}.{index}", channels, channels, kernel)
            yield f"{name}.activations{part}.{index}.alpha", (channels,)


def _recipe(s: Size) -> dict[str, Any]:
    """The numbers that no tensor's shape tells; the official defaults fill in the others."""
    return {
        "flow": {"decoder": {"estimator": {"num_heads": s.estimator_heads}}},
        "llm": {"text_encoder": {"static_chunk_size": 1}},
    }
