"""Layers as ONNX nodes: linear ones at the chosen precision, norms, activations, convolutions."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from cosyedge.export.graph import MICROSOFT, Floats, Graph

Linear: TypeAlias = Literal["fp32", "blocks", "columns"]

BLOCK_MAX = 128
COLUMN_LEVELS = 63


@dataclass(frozen=True, slots=True)
class Precision:
    """How a bundle stores its weights.

    ``step``: linear layers that see a few rows a run; ``wide``: those that see hundreds.
    ``tables``: embeddings and positions.
    """

    name: str
    step: Linear
    wide: Linear
    tables: type[np.floating]


PRECISIONS = {
    "fp32": Precision("fp32", "fp32", "fp32", np.float32),
    "int8": Precision("int8", "blocks", "columns", np.float16),
}


def linear(g: Graph, x: str, weight: Floats, bias: Floats | None, kind: Linear) -> str:
    """Multiply rows ``x`` [..., K] by ``weight`` [N, K] as PyTorch stores it, and add ``bias``."""
    if kind == "blocks":
        y = _by_blocks(g, x, weight)
    elif kind == "columns":
        return _by_columns(g, x, weight, bias)
    else:
        y = g.op("MatMul", x, g.weight(weight.T))
    return y if bias is None else g.op("Add", y, g.weight(bias))


def _by_blocks(g: Graph, x: str, weight: Floats) -> str:
    """8-bit weights with a scale for each block of inputs: activations keep a scale a block too."""
    outputs, inputs = weight.shape
    block = min(BLOCK_MAX, max(16, 1 << (inputs - 1).bit_length()))
    blocks = -(-inputs // block)
    padded = np.zeros((outputs, blocks * block), np.float32)
    padded[:, :inputs] = weight
    cut = padded.reshape(outputs, blocks, block)
    scales = np.maximum(np.abs(cut).max(-1) / 127, 1e-12).astype(np.float32)
    levels = (np.rint(cut / scales[..., None]) + 128).astype(np.uint8)
    return g.op(
        "MatMulNBits",
        x,
        g.weight(levels),
        g.weight(scales.reshape(-1)),
        domain=MICROSOFT,
        K=inputs,
        N=outputs,
        bits=8,
        block_size=block,
        accuracy_level=4,
    )


def _by_columns(g: Graph, x: str, weight: Floats, bias: Floats | None) -> str:
    """Signed weights with a scale for each output; activations are scaled once a run.

    Processors without VNNI add two products in 16 bits: with levels beyond ±64 that saturates,
    silently (18 dB instead of 38 on the parity fixture).
    """
    scales = np.maximum(np.abs(weight).max(1) / COLUMN_LEVELS, 1e-12).astype(np.float32)
    levels = np.rint(weight / scales[:, None]).astype(np.int8)
    zero = np.zeros(len(scales), np.int8)
    inputs = [x, g.weight(levels.T), g.weight(scales), g.weight(zero)]
    if bias is not None:
        inputs.append(g.weight(bias))
    return g.op("DynamicQuantizeMatMul", *inputs, domain=MICROSOFT)


def layer_norm(g: Graph, x: str, weight: Floats, bias: Floats, epsilon: float) -> str:
    """Normalize over the last axis."""
    return g.op("LayerNormalization", x, g.weight(weight), g.weight(bias), axis=-1, epsilon=epsilon)


def group_norm(g: Graph, x: str, groups: int, weight: Floats, bias: Floats) -> str:
    """Normalize [batch, channels, time] over each group of channels."""
    grouped = g.op("Reshape", x, g.integers(0, groups, -1))
    ones, zeros = np.ones(groups, np.float32), np.zeros(groups, np.float32)
    normal = g.op("InstanceNormalization", grouped, g.weight(ones), g.weight(zeros), epsilon=1e-5)
    back = g.op("Reshape", normal, g.op("Shape", x))
    scaled = g.op("Mul", back, g.weight(weight[:, None]))
    return g.op("Add", scaled, g.weight(bias[:, None]))


def mish(g: Graph, x: str) -> str:
    """Compute x·tanh(softplus(x)) as x·n/(n+2) with n = e^x(e^x+2).

    Softplus alone took 9 % of an estimator step; above 20 the quotient is 1 in float32.
    """
    e = g.op("Exp", g.op("Min", x, g.scalar(20.0)))
    n = g.op("Mul", e, g.op("Add", e, g.scalar(2.0)))
    return g.op("Mul", x, g.op("Div", n, g.op("Add", n, g.scalar(2.0))))


def silu(g: Graph, x: str) -> str:
    """Compute x·sigmoid(x)."""
    return g.op("Mul", x, g.op("Sigmoid", x))


def conv(
    g: Graph,
    x: str,
    weight: Floats,
    bias: Floats,
    *,
    stride: int = 1,
    pad: int | None = None,
    dilation: int = 1,
) -> str:
    """Convolve along the last axis; by default the length stays at stride 1.

    ``weight`` [out, in, kernel] takes ``x`` [batch, in, time], and [out, in, 1, kernel] takes
    [batch, in, 1, time]. With two spatial axes ONNX Runtime uses its blocked kernels, which were
    12 to 18 % faster for 7 and 11 taps (Zen 2, 128 and 256 channels).
    """
    if pad is None:
        pad = (weight.shape[-1] - 1) // 2 * dilation
    across = weight.ndim - 3
    return g.op(
        "Conv",
        x,
        g.weight(weight),
        g.weight(bias),
        kernel_shape=list(weight.shape[2:]),
        strides=[1] * across + [stride],
        pads=([0] * across + [pad]) * 2,
        dilations=[1] * across + [dilation],
    )


def transposed_conv(
    g: Graph, x: str, weight: Floats, bias: Floats, *, stride: int, pad: int
) -> str:
    """Convolve to ``stride`` times the length; shapes as :func:`conv` takes them."""
    across = weight.ndim - 3
    return g.op(
        "ConvTranspose",
        x,
        g.weight(weight),
        g.weight(bias),
        kernel_shape=list(weight.shape[2:]),
        strides=[1] * across + [stride],
        pads=([0] * across + [pad]) * 2,
    )
