"""The two whole-sequence encoders: text (causal) and flow (full attention)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cosyedge.export.attention import (
    Heads,
    feed_forward,
    full_attention,
    position_scores,
    position_table,
    projection,
    table_window,
)
from cosyedge.export.graph import Floats, Graph
from cosyedge.export.layers import Precision, layer_norm, linear

Tensors: TypeAlias = Mapping[str, Floats]

LAYER_EPSILON = 1e-12
OUTER_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of attention layers: where its tensors are, and what it is built with."""

    tensors: Tensors
    name: str
    activation: str
    precision: Precision
    positions: int
    causal: bool = True

    @property
    def layers(self) -> list[str]:
        """Name the layers by their common prefix."""
        names: list[str] = []
        while f"{self.name}.encoders.{len(names)}.self_attn.pos_bias_u" in self.tensors:
            names.append(f"{self.name}.encoders.{len(names)}")
        return names

    def norm(self, g: Graph, x: str, name: str, epsilon: float, scale: float = 1.0) -> str:
        """Normalize by the tensors of ``name``, and scale."""
        weight, bias = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]
        return layer_norm(g, x, weight * np.float32(scale), bias * np.float32(scale), epsilon)


def text_encoder(g: Graph, stack: Stack) -> None:
    """Rows [1, L, text] → rows [1, L, D] for the language model."""
    tensors = stack.tensors
    x = g.input("rows", [1, "length", tensors["text_embedding.weight"].shape[1]])
    name = "text_encoder_affine_layer"
    weight, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    hidden = _encode(g, x, stack)
    made = linear(g, hidden, weight, bias, stack.precision.wide)
    g.output(made, "text", [1, "length", len(bias)])


def flow_encoder(g: Graph, stack: Stack) -> None:
    """Token rows [1, L, D] → mel-sized rows [1, L, mel] at the token rate."""
    tensors = stack.tensors
    x = g.input("rows", [1, "length", tensors["input_embedding.weight"].shape[1]])
    weight, bias = tensors["encoder_proj.weight"], tensors["encoder_proj.bias"]
    made = linear(g, _encode(g, x, stack), weight, bias, "fp32")
    g.output(made, "projected", [1, "length", len(bias)])


def _encode(g: Graph, x: str, stack: Stack) -> str:
    """Rows [1, L, inputs] → rows [1, L, D]."""
    length = g.op("Slice", g.op("Shape", x), g.integers(1), g.integers(2))
    window = _Window(g, stack, length)
    embed = f"{stack.name}.embed.out"
    weight, bias = stack.tensors[f"{embed}.0.weight"], stack.tensors[f"{embed}.0.bias"]
    x = linear(g, x, weight, bias, stack.precision.wide)
    x = stack.norm(g, x, f"{embed}.1", OUTER_EPSILON, scale=len(weight) ** 0.5)
    for layer in stack.layers:
        normal = stack.norm(g, x, f"{layer}.norm_mha", LAYER_EPSILON)
        x = g.op("Add", x, _attend(g, normal, stack, f"{layer}.self_attn", window))
        normal = stack.norm(g, x, f"{layer}.norm_ff", LAYER_EPSILON)
        name = f"{layer}.feed_forward"
        kind = stack.precision.wide
        x = g.op("Add", x, feed_forward(g, normal, stack.tensors, name, stack.activation, kind))
    return stack.norm(g, x, f"{stack.name}.after_norm", OUTER_EPSILON)


def _attend(g: Graph, x: str, stack: Stack, name: str, window: "_Window") -> str:
    merged, kind = projection(stack.tensors, name), stack.precision.wide
    qkv = g.ops("Split", 3, linear(g, x, merged.weight, merged.bias, kind), axis=-1)
    places = window.cut(name)
    scores = position_scores(g, qkv[0], merged, places, window.length, window.width)
    if not stack.causal:
        scores = g.op("Slice", scores, g.integers(0), window.length, g.integers(3))
    mixed = full_attention(g, qkv, scores, merged.heads, causal=stack.causal)
    return linear(g, mixed, merged.out, merged.out_bias, kind)


class _Window:
    """The part of a layer's table that L rows need: distances L ... 0, or L ... −(L − 1)."""

    def __init__(self, g: Graph, stack: Stack, length: str) -> None:
        self._g, self._stack = g, stack
        self.length = length
        one, after = g.integers(1), g.integers(stack.positions + 1)
        self._start = g.op("Sub", g.integers(stack.positions), length)
        if stack.causal:
            self.width, self._end = length, after
        else:
            self.width = g.op("Sub", g.op("Add", length, length), one)
            self._end = g.op("Add", after, g.op("Sub", length, one))

    def cut(self, name: str) -> str:
        """Store the table of layer ``name`` and cut the window from it."""
        stack = self._stack
        lowest = 0 if stack.causal else 1 - stack.positions
        heads = Heads(*stack.tensors[f"{name}.pos_bias_u"].shape)
        distances = range(stack.positions, lowest - 1, -1)
        table = position_table(stack.tensors, name, heads, distances)
        return table_window(self._g, table, self._start, self._end, stack.precision)
