"""The flow's estimator: a 1-D U-Net of residual convolutions and transformer blocks."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cosyedge.export.graph import MICROSOFT, Floats, Graph
from cosyedge.export.layers import (
    Precision,
    conv,
    group_norm,
    layer_norm,
    linear,
    mish,
    silu,
    transposed_conv,
)

Tensors = Mapping[str, Floats]

PREFIX = "decoder.estimator"
FIRST = f"{PREFIX}.down_blocks.0.0"
GROUPS = 8
TIME_SCALE = 1000.0


@dataclass(frozen=True, slots=True)
class _Unet:
    """What every block of one estimator needs."""

    g: Graph
    tensors: Tensors
    heads: int
    precision: Precision
    time: str

    def pair(self, name: str) -> tuple[Floats, Floats]:
        """Return a layer's weight and bias."""
        return self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]


def estimator(g: Graph, tensors: Tensors, heads: int, precision: Precision) -> None:
    """x, mu [batch, mel, T], speaker [batch, mel], time [1] → velocity [batch, mel, T].

    Guidance is two rows of one batch, (x, mu, speaker) and (x, 0, 0), combined by the caller.
    The prompt's channels are zero without a prompt: their weights are left out.
    """
    mel = tensors[f"{PREFIX}.final_proj.weight"].shape[0]
    x = g.input("x", ["batch", mel, "frames"])
    mu = g.input("mu", ["batch", mel, "frames"])
    speaker = g.op("Unsqueeze", g.input("speaker", ["batch", mel]), g.integers(2))
    spread = g.op("Expand", speaker, g.op("Shape", x))
    unet = _Unet(g, tensors, heads, precision, _time(g, tensors, g.input("time", [1])))
    x = g.op("Concat", x, mu, spread, axis=1)

    skips: list[str] = []
    for name in _blocks(tensors, "down_blocks"):
        x = _stage(unet, x, name)
        skips.append(x)
        x = _resampled(unet, x, f"{name}.2", stride=2)
    for name in _blocks(tensors, "mid_blocks"):
        x = _stage(unet, x, name)
    for name in _blocks(tensors, "up_blocks"):
        skip = skips.pop()
        frames = g.op("Slice", g.op("Shape", skip), g.integers(2), g.integers(3))
        x = g.op("Slice", x, g.integers(0), frames, g.integers(2))
        x = _stage(unet, g.op("Concat", x, skip, axis=1), name)
        x = _resampled(unet, x, f"{name}.2", stride=2)
    x = _conv_block(unet, x, f"{PREFIX}.final_block.block")
    x = conv(g, x, *unet.pair(f"{PREFIX}.final_proj"))
    g.output(x, "velocity", ["batch", mel, "frames"])


def _blocks(tensors: Tensors, kind: str) -> list[str]:
    names: list[str] = []
    while f"{PREFIX}.{kind}.{len(names)}.0.mlp.1.weight" in tensors:
        names.append(f"{PREFIX}.{kind}.{len(names)}")
    return names


def _time(g: Graph, tensors: Tensors, time: str) -> str:
    """Embed the time [1] → [1, D] and apply the Mish that every residual block begins with."""
    first = tensors[f"{PREFIX}.time_mlp.linear_1.weight"]
    half = first.shape[1] // 2
    rate = np.exp(np.arange(half, dtype=np.float32) * np.float32(-np.log(10000.0) / (half - 1)))
    angle = g.op("Mul", g.op("Unsqueeze", time, g.integers(1)), g.weight(rate * TIME_SCALE))
    wave = g.op("Concat", g.op("Sin", angle), g.op("Cos", angle), axis=1)
    inner = linear(g, wave, first, tensors[f"{PREFIX}.time_mlp.linear_1.bias"], "fp32")
    second, bias = (tensors[f"{PREFIX}.time_mlp.linear_2.{part}"] for part in ("weight", "bias"))
    return mish(g, linear(g, silu(g, inner), second, bias, "fp32"))


def _stage(unet: _Unet, x: str, name: str) -> str:
    """A residual convolution and its transformer blocks: [batch, channels, T] → the same T."""
    g = unet.g
    x = _residual(unet, x, f"{name}.0")
    x = g.op("Transpose", x, perm=[0, 2, 1])  # [batch, T, channels]
    index = 0
    while f"{name}.1.{index}.norm1.weight" in unet.tensors:
        x = _transformer(unet, x, f"{name}.1.{index}")
        index += 1
    return g.op("Transpose", x, perm=[0, 2, 1])


def _residual(unet: _Unet, x: str, name: str) -> str:
    g = unet.g
    weight, bias = unet.pair(f"{name}.mlp.1")
    shift = g.op("Unsqueeze", linear(g, unet.time, weight, bias, "fp32"), g.integers(2))
    inner = g.op("Add", _conv_block(unet, x, f"{name}.block1.block"), shift)
    inner = _conv_block(unet, inner, f"{name}.block2.block")
    straight, bias = unet.pair(f"{name}.res_conv")
    return g.op("Add", inner, conv(g, x, _without_prompt(name, straight), bias))


def _conv_block(unet: _Unet, x: str, name: str) -> str:
    weight, bias = unet.pair(f"{name}.0")
    x = conv(unet.g, x, _without_prompt(name, weight), bias)
    return mish(unet.g, group_norm(unet.g, x, GROUPS, *unet.pair(f"{name}.1")))


def _without_prompt(name: str, weight: Floats) -> Floats:
    """Drop the prompt's channels, the last of four, from a layer that reads the input."""
    if name not in (FIRST, f"{FIRST}.block1.block"):
        return weight
    return weight[:, : weight.shape[1] // 4 * 3]


def _transformer(unet: _Unet, x: str, name: str) -> str:
    """Attention without positions, then a feed-forward layer; [batch, T, channels]."""
    g, kind = unet.g, unet.precision.wide
    attention = f"{name}.attn1"
    normal = layer_norm(g, x, *unet.pair(f"{name}.norm1"), 1e-5)
    parts = [unet.tensors[f"{attention}.to_{part}.weight"] for part in "qkv"]
    qkv = g.ops("Split", 3, linear(g, normal, np.concatenate(parts), None, kind), axis=-1)
    mixed = g.op("MultiHeadAttention", *qkv, domain=MICROSOFT, num_heads=unet.heads)
    x = g.op("Add", x, linear(g, mixed, *unet.pair(f"{attention}.to_out.0"), kind))
    normal = layer_norm(g, x, *unet.pair(f"{name}.norm3"), 1e-5)
    inner = linear(g, normal, *unet.pair(f"{name}.ff.net.0.proj"), kind)
    active = g.op("Gelu", inner, domain=MICROSOFT)
    return g.op("Add", x, linear(g, active, *unet.pair(f"{name}.ff.net.2"), kind))


def _resampled(unet: _Unet, x: str, name: str, stride: int) -> str:
    """Halve or double the length; the innermost and the outermost stage keep it."""
    if f"{name}.weight" in unet.tensors:
        return conv(unet.g, x, *unet.pair(name))
    weight, bias = unet.pair(f"{name}.conv")
    if weight.shape[-1] == 3:
        return conv(unet.g, x, weight, bias, stride=stride)
    return transposed_conv(unet.g, x, weight, bias, stride=stride, pad=1)
