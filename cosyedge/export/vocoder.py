"""The vocoder: F0 from the mel, and waveform spectra from the mel and a harmonic source."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cosyedge.core.errors import SettingsError
from cosyedge.export.graph import Floats, Graph
from cosyedge.export.layers import conv, transposed_conv

Tensors = Mapping[str, Floats]

# torch's leaky_relu without an argument, before the last convolution.
LAST_SLOPE = 0.01


@dataclass(frozen=True, slots=True)
class VocoderPlan:
    """The vocoder's hyperparameters; kernels and dilations a block, by the YAML's names."""

    upsample_rates: tuple[int, ...]
    kernels: tuple[int, ...]
    dilations: tuple[tuple[int, ...], ...]
    source_kernels: tuple[int, ...]
    source_dilations: tuple[tuple[int, ...], ...]
    n_fft: int
    slope: float


def plain_weight(tensors: Tensors, name: str) -> Floats:
    """Fold weight norm: w = g·v/‖v‖ over all dimensions but the first; both key styles."""
    if f"{name}.weight" in tensors:
        return tensors[f"{name}.weight"]
    styles = (
        ("parametrizations.weight.original0", "parametrizations.weight.original1"),
        ("weight_g", "weight_v"),
    )
    for gain, direction in styles:
        if f"{name}.{gain}" in tensors:
            v = tensors[f"{name}.{direction}"].astype(np.float64)
            norm = np.sqrt((v**2).sum(axis=tuple(range(1, v.ndim)), keepdims=True))
            return np.asarray(tensors[f"{name}.{gain}"] * v / norm, np.float32)
    raise SettingsError("model_invalid", f"hift.pt: the tensor {name}.weight is missing")


def f0_predictor(g: Graph, tensors: Tensors) -> None:
    """Mel [1, mel, T] → F0 [1, T] in hertz."""
    name = "f0_predictor.condnet"
    mel = plain_weight(tensors, f"{name}.0").shape[1]
    x = _flat(g, g.input("mel", [1, mel, "frames"]))
    index = 0
    while f"{name}.{index}.bias" in tensors:
        x = _conv(g, x, tensors, f"{name}.{index}")
        x = g.op("Elu", x)
        index += 2
    weight, bias = (tensors[f"f0_predictor.classifier.{part}"] for part in ("weight", "bias"))
    x = g.op("Abs", conv(g, x, weight[:, :, None, None], bias))
    g.output(g.op("Squeeze", x, g.integers(1, 2)), "f0", [1, "frames"])


def vocoder(g: Graph, tensors: Tensors, plan: VocoderPlan) -> None:
    """Mel [1, mel, T] and the source's spectra [1, n_fft + 2, U·T + 1] → spectra of that shape.

    U is the product of the upsampling rates. The result is log magnitude ‖ phase, before exp and
    sine; the inverse transform is the caller's.
    """
    mel = plain_weight(tensors, "conv_pre").shape[1]
    x = _flat(g, g.input("mel", [1, mel, "frames"]))
    source = _flat(g, g.input("source", [1, plan.n_fft + 2, "spectra"]))
    x = _conv(g, x, tensors, "conv_pre")
    for stage, rate in enumerate(plan.upsample_rates):
        x = g.op("LeakyRelu", x, alpha=plan.slope)
        weight = plain_weight(tensors, f"ups.{stage}")
        pad = (weight.shape[-1] - rate) // 2
        bias = tensors[f"ups.{stage}.bias"]
        x = transposed_conv(g, x, weight[:, :, None], bias, stride=rate, pad=pad)
        if stage == len(plan.upsample_rates) - 1:
            x = g.op("Pad", x, g.integers(0, 0, 0, 1, 0, 0, 0, 0), mode="reflect")
        x = g.op("Add", x, _source_branch(g, source, tensors, plan, stage))
        blocks = len(plan.kernels)
        branches = [
            _resblock(g, x, tensors, f"resblocks.{stage * blocks + block}", plan.dilations[block])
            for block in range(blocks)
        ]
        x = g.op("Mul", g.op("Sum", *branches), g.scalar(1 / blocks))
    x = g.op("LeakyRelu", x, alpha=LAST_SLOPE)
    x = g.op("Squeeze", _conv(g, x, tensors, "conv_post"), g.integers(2))
    g.output(x, "spectra", [1, plan.n_fft + 2, "spectra"])


def context_frames(plan: VocoderPlan) -> int:
    """Return how many mel frames of context make the inside of a chunk exact.

    By stages, in frames: a sample sees what came before its upsampling and the source's branch,
    the farther of the two, and that through the residual blocks. True size: 14 (measured: 13).
    """
    reach, scale = 3.0, 1
    for stage, rate in enumerate(plan.upsample_rates):
        before, scale = reach + 1 / scale, scale * rate
        source = _reach(plan.source_kernels[stage], plan.source_dilations[stage]) + 1
        own = max(_reach(k, d) for k, d in zip(plan.kernels, plan.dilations, strict=True))
        reach = max(before, source / scale) + own / scale
    # The last convolution, and the sample that is reflected on the left.
    return int(np.ceil(reach + 4 / scale))


def _reach(kernel: int, dilations: tuple[int, ...]) -> int:
    """Samples that a residual block sees to one side."""
    return (kernel - 1) // 2 * sum(dilation + 1 for dilation in dilations)


def _source_branch(g: Graph, source: str, tensors: Tensors, plan: VocoderPlan, stage: int) -> str:
    rate = int(np.prod(plan.upsample_rates[stage + 1 :]))
    name = f"source_downs.{stage}"
    pad = rate // 2 if rate > 1 else 0
    x = _conv(g, source, tensors, name, stride=rate, pad=pad)
    return _resblock(g, x, tensors, f"source_resblocks.{stage}", plan.source_dilations[stage])


def _resblock(g: Graph, x: str, tensors: Tensors, name: str, dilations: tuple[int, ...]) -> str:
    for index, dilation in enumerate(dilations):
        inner = _snake(g, x, tensors[f"{name}.activations1.{index}.alpha"])
        inner = _conv(g, inner, tensors, f"{name}.convs1.{index}", dilation=dilation)
        inner = _snake(g, inner, tensors[f"{name}.activations2.{index}.alpha"])
        x = g.op("Add", x, _conv(g, inner, tensors, f"{name}.convs2.{index}"))
    return x


def _snake(g: Graph, x: str, alpha: Floats) -> str:
    """Compute x + sin²(αx)/(α + 1e-9), α a channel."""
    wave = g.op("Sin", g.op("Mul", x, g.weight(alpha[:, None, None])))
    scale = g.weight((1 / (alpha + np.float32(1e-9)))[:, None, None].astype(np.float32))
    return g.op("Add", x, g.op("Mul", g.op("Mul", wave, wave), scale))


def _flat(g: Graph, x: str) -> str:
    """Make [1, channels, time] an image of one line, [1, channels, 1, time]: see ``conv``."""
    return g.op("Unsqueeze", x, g.integers(2))


def _conv(g: Graph, x: str, tensors: Tensors, name: str, **options: Any) -> str:
    weight = plain_weight(tensors, name)[:, :, None]
    return conv(g, x, weight, tensors[f"{name}.bias"], **options)
