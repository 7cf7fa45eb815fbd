"""The official modules once more, in plain numpy and float64: slow, short, one layer a function.

Written from their description alone, without the exporter's tricks (merged layers, precomputed
positions, folded constants, shifted windows), so that both can't be wrong in the same way.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tensors = Mapping[str, NDArray[np.float32]]

erf = np.vectorize(math.erf)


def linear(x: Floats, tensors: Tensors, name: str) -> Floats:
    y = x @ tensors[f"{name}.weight"].astype(np.float64).T
    return y + tensors[f"{name}.bias"] if f"{name}.bias" in tensors else y


def layer_norm(x: Floats, tensors: Tensors, name: str, epsilon: float) -> Floats:
    centred = x - x.mean(-1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return normal * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def softmax(x: Floats) -> Floats:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sinusoid(distance: int, size: int) -> Floats:
    rate = 10000.0 ** (-np.arange(0, size, 2) / size)
    found = np.empty(size)
    found[0::2], found[1::2] = np.sin(distance * rate), np.cos(distance * rate)
    return found


def relative_attention(x: Floats, tensors: Tensors, name: str, *, causal: bool) -> Floats:
    """[L, D] → [L, D], score by score."""
    u, v = tensors[f"{name}.pos_bias_u"], tensors[f"{name}.pos_bias_v"]
    heads, width = u.shape
    count = len(x)
    q, k, value = (
        linear(x, tensors, f"{name}.linear_{part}").reshape(count, heads, width) for part in "qkv"
    )
    size = tensors[f"{name}.linear_pos.weight"].shape[1]
    places = {
        d: linear(sinusoid(d, size), tensors, f"{name}.linear_pos").reshape(heads, width)
        for d in range(1 - count, count)
    }
    scores = np.full((heads, count, count), -np.inf)
    for i in range(count):
        for j in range(i + 1 if causal else count):
            for h in range(heads):
                content = (q[i, h] + u[h]) @ k[j, h]
                place = (q[i, h] + v[h]) @ places[i - j][h]
                scores[h, i, j] = (content + place) / math.sqrt(width)
    mixed = np.einsum("hij,jhw->ihw", softmax(scores), value).reshape(count, -1)
    return linear(mixed, tensors, f"{name}.linear_out")


def encoder(
    x: Floats, tensors: Tensors, name: str, norms: tuple[str, str], activation: str, *, causal: bool
) -> Floats:
    x = linear(x, tensors, f"{name}.embed.out.0")
    x = layer_norm(x, tensors, f"{name}.embed.out.1", 1e-5)
    if activation == "relu":
        x = np.maximum(x, 0)
    x = x * math.sqrt(x.shape[-1])
    index = 0
    while f"{name}.encoders.{index}.self_attn.pos_bias_u" in tensors:
        layer = f"{name}.encoders.{index}"
        normal = layer_norm(x, tensors, f"{layer}.{norms[0]}", 1e-12)
        x = x + relative_attention(normal, tensors, f"{layer}.self_attn", causal=causal)
        normal = layer_norm(x, tensors, f"{layer}.{norms[1]}", 1e-12)
        inner = linear(normal, tensors, f"{layer}.feed_forward.w_1")
        inner = np.maximum(inner, 0) if activation == "relu" else inner / (1 + np.exp(-inner))
        x = x + linear(inner, tensors, f"{layer}.feed_forward.w_2")
        index += 1
    return layer_norm(x, tensors, f"{name}.after_norm", 1e-5)


def conv(
    x: Floats, weight: NDArray, bias: NDArray, stride: int = 1, pad: int | None = None, gap: int = 1
) -> Floats:
    """[channels, T] → [channels, T'], sample by sample."""
    kernel = weight.shape[-1]
    pad = (kernel - 1) // 2 * gap if pad is None else pad
    padded = np.pad(x, ((0, 0), (pad, pad)))
    size = (padded.shape[1] - gap * (kernel - 1) - 1) // stride + 1
    made = np.zeros((len(weight), size))
    for tap in range(kernel):
        lane = padded[:, tap * gap : tap * gap + (size - 1) * stride + 1 : stride]
        made += weight[:, :, tap].astype(np.float64) @ lane
    return made + bias[:, None]


def transposed(x: Floats, weight: NDArray, bias: NDArray, stride: int, pad: int) -> Floats:
    kernel, count = weight.shape[-1], x.shape[1]
    made = np.zeros((weight.shape[1], (count - 1) * stride + kernel))
    for tap in range(kernel):
        made[:, tap : tap + (count - 1) * stride + 1 : stride] += weight[:, :, tap].T @ x
    return made[:, pad : made.shape[1] - pad] + bias[:, None]


def mish(x: Floats) -> Floats:
    return x * np.tanh(np.logaddexp(0, x))


def group_norm(x: Floats, groups: int, tensors: Tensors, name: str) -> Floats:
    grouped = x.reshape(groups, -1)
    normal = grouped - grouped.mean(1, keepdims=True)
    normal = normal / np.sqrt((normal**2).mean(1, keepdims=True) + 1e-5)
    return (
        normal.reshape(x.shape) * tensors[f"{name}.weight"][:, None]
        + tensors[f"{name}.bias"][:, None]
    )


def named_conv(x: Floats, tensors: Tensors, name: str, **options: int) -> Floats:
    return conv(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], **options)


def regulator(x: Floats, tensors: Tensors) -> Floats:
    for index in (0, 3, 6, 9):
        x = named_conv(x, tensors, f"length_regulator.model.{index}")
        x = mish(group_norm(x, 1, tensors, f"length_regulator.model.{index + 1}"))
    return named_conv(x, tensors, "length_regulator.model.12")


class Estimator:
    """The velocity of one row: x, mu [mel, T], speaker [mel], time."""

    def __init__(self, tensors: Tensors, heads: int) -> None:
        self.tensors, self.heads = tensors, heads

    def __call__(self, x: Floats, mu: Floats, speaker: Floats, time: float) -> Floats:
        name = "decoder.estimator"
        spread = np.repeat(speaker[:, None], x.shape[1], 1)
        x = np.concatenate([x, mu, spread, np.zeros_like(x)])
        self.time = self.embedded(time)
        skips = []
        x = self.stage(x, f"{name}.down_blocks.0")
        skips.append(x)
        x = named_conv(x, self.tensors, f"{name}.down_blocks.0.2.conv", stride=2, pad=1)
        x = self.stage(x, f"{name}.down_blocks.1")
        skips.append(x)
        x = named_conv(x, self.tensors, f"{name}.down_blocks.1.2")
        index = 0
        while f"{name}.mid_blocks.{index}.0.mlp.1.weight" in self.tensors:
            x = self.stage(x, f"{name}.mid_blocks.{index}")
            index += 1
        x = self.stage(np.concatenate([x, skips.pop()]), f"{name}.up_blocks.0")
        up = f"{name}.up_blocks.0.2.conv"
        x = transposed(x, self.tensors[f"{up}.weight"], self.tensors[f"{up}.bias"], 2, 1)
        skip = skips.pop()
        x = self.stage(np.concatenate([x[:, : skip.shape[1]], skip]), f"{name}.up_blocks.1")
        x = named_conv(x, self.tensors, f"{name}.up_blocks.1.2")
        x = self.block(x, f"{name}.final_block.block")
        return named_conv(x, self.tensors, f"{name}.final_proj")

    def embedded(self, time: float) -> Floats:
        name = "decoder.estimator.time_mlp"
        half = self.tensors[f"{name}.linear_1.weight"].shape[1] // 2
        angle = 1000 * time * np.exp(-math.log(10000) / (half - 1) * np.arange(half))
        inner = linear(
            np.concatenate([np.sin(angle), np.cos(angle)]), self.tensors, f"{name}.linear_1"
        )
        return linear(inner / (1 + np.exp(-inner)), self.tensors, f"{name}.linear_2")

    def block(self, x: Floats, name: str) -> Floats:
        x = named_conv(x, self.tensors, f"{name}.0")
        return mish(group_norm(x, 8, self.tensors, f"{name}.1"))

    def stage(self, x: Floats, name: str) -> Floats:
        inner = self.block(x, f"{name}.0.block1.block")
        inner = inner + linear(mish(self.time), self.tensors, f"{name}.0.mlp.1")[:, None]
        inner = self.block(inner, f"{name}.0.block2.block")
        x = (inner + named_conv(x, self.tensors, f"{name}.0.res_conv")).T
        index = 0
        while f"{name}.1.{index}.norm1.weight" in self.tensors:
            x = self.transformer(x, f"{name}.1.{index}")
            index += 1
        return x.T

    def transformer(self, x: Floats, name: str) -> Floats:
        normal = layer_norm(x, self.tensors, f"{name}.norm1", 1e-5)
        q, k, v = (
            linear(normal, self.tensors, f"{name}.attn1.to_{part}").reshape(len(x), self.heads, -1)
            for part in "qkv"
        )
        scores = np.einsum("ihw,jhw->hij", q, k) / math.sqrt(q.shape[2])
        mixed = np.einsum("hij,jhw->ihw", softmax(scores), v).reshape(len(x), -1)
        x = x + linear(mixed, self.tensors, f"{name}.attn1.to_out.0")
        normal = layer_norm(x, self.tensors, f"{name}.norm3", 1e-5)
        inner = linear(normal, self.tensors, f"{name}.ff.net.0.proj")
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        return x + linear(inner, self.tensors, f"{name}.ff.net.2")


def f0(mel: Floats, tensors: Tensors) -> Floats:
    x, index = mel, 0
    while f"f0_predictor.condnet.{index}.bias" in tensors:
        x = named_conv(x, tensors, f"f0_predictor.condnet.{index}")
        x = np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
        index += 2
    return np.abs(linear(x.T, tensors, "f0_predictor.classifier"))[:, 0]


def snake(x: Floats, tensors: Tensors, name: str) -> Floats:
    alpha = tensors[f"{name}.alpha"].astype(np.float64)[:, None]
    return x + np.sin(alpha * x) ** 2 / (alpha + 1e-9)


def resblock(x: Floats, tensors: Tensors, name: str, dilations: tuple[int, ...]) -> Floats:
    for index, dilation in enumerate(dilations):
        inner = snake(x, tensors, f"{name}.activations1.{index}")
        inner = named_conv(inner, tensors, f"{name}.convs1.{index}", gap=dilation)
        inner = snake(inner, tensors, f"{name}.activations2.{index}")
        x = x + named_conv(inner, tensors, f"{name}.convs2.{index}")
    return x


def leaky(x: Floats, slope: float) -> Floats:
    return np.where(x > 0, x, slope * x)


def vocoder(
    mel: Floats, lines: Floats, tensors: Tensors, rates: tuple[int, ...], blocks: int
) -> Floats:
    """Mel [bins, T] and the source's spectra [n_fft + 2, frames] → spectra of that shape."""
    dilations = (1, 3, 5)
    x = named_conv(mel, tensors, "conv_pre")
    for stage, rate in enumerate(rates):
        up = tensors[f"ups.{stage}.weight"]
        pad = (up.shape[2] - rate) // 2
        x = transposed(leaky(x, 0.1), up, tensors[f"ups.{stage}.bias"], rate, pad)
        if stage == len(rates) - 1:
            x = np.concatenate([x[:, 1:2], x], axis=1)
        down = math.prod(rates[stage + 1 :])
        pad = down // 2 if down > 1 else 0
        source = named_conv(lines, tensors, f"source_downs.{stage}", stride=down, pad=pad)
        x = x + resblock(source, tensors, f"source_resblocks.{stage}", dilations)
        names = [f"resblocks.{stage * blocks + index}" for index in range(blocks)]
        x = sum(resblock(x, tensors, name, dilations) for name in names) / blocks
    return named_conv(leaky(x, 0.01), tensors, "conv_post")
