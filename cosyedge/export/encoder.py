"""The two whole-sequence encoders: text (causal) and flow (full attention)."""

from collections.abc import Callable, Mapping

import numpy as np

from cosyedge.export.attention import (
    feed_forward,
    full_attention,
    position_scores,
    position_table,
    projection,
    table_window,
)
from cosyedge.export.graph import Floats, Graph
from cosyedge.export.layers import Precision, layer_norm, linear

Tensors = Mapping[str, Floats]

LAYER_EPSILON = 1e-12
OUTER_EPSILON = 1e-5


def count_layers(tensors: Tensors, prefix: str) -> int:
    """Count ``prefix``.0, .1, ... by their first norm or attention."""
    count = 0
    while any(f"{prefix}.{count}.{probe}" in tensors for probe in ("self_attn.pos_bias_u",)):
        count += 1
    return count


def text_encoder(
    g: Graph, tensors: Tensors, positions: int, activation: str, precision: Precision
) -> None:
    """Rows [1, L, text] → rows [1, L, D] for the language model; row i sees rows j ≤ i."""
    x = g.input("rows", [1, "length", tensors["text_embedding.weight"].shape[1]])
    hidden = _encode(g, x, tensors, "text_encoder", activation, precision, positions, causal=True)
    weight, bias = (tensors[f"text_encoder_affine_layer.{part}"] for part in ("weight", "bias"))
    g.output(linear(g, hidden, weight, bias, precision.wide), "text", [1, "length", len(bias)])


def flow_encoder(
    g: Graph, tensors: Tensors, positions: int, activation: str, precision: Precision
) -> None:
    """Token rows [1, L, D] → mel-sized rows [1, L, mel] at the token rate."""
    x = g.input("rows", [1, "length", tensors["input_embedding.weight"].shape[1]])
    hidden = _encode(g, x, tensors, "encoder", activation, precision, positions, causal=False)
    weight, bias = tensors["encoder_proj.weight"], tensors["encoder_proj.bias"]
    g.output(linear(g, hidden, weight, bias, "fp32"), "projected", [1, "length", len(bias)])


def _encode(
    g: Graph,
    x: str,
    tensors: Tensors,
    name: str,
    activation: str,
    precision: Precision,
    positions: int,
    *,
    causal: bool,
) -> str:
    length = g.op("Slice", g.op("Shape", x), g.integers(1), g.integers(2))
    window = _windows(g, tensors, length, positions, precision, causal=causal)
    width = length if causal else g.op("Sub", g.op("Add", length, length), g.integers(1))
    x = _embed(g, x, tensors, f"{name}.embed.out", precision)
    for index in range(count_layers(tensors, f"{name}.encoders")):
        layer = f"{name}.encoders.{index}"
        normal = _norm(g, x, tensors, f"{layer}.norm_mha", LAYER_EPSILON)
        merged, heads = projection(tensors, f"{layer}.self_attn")
        qkv = g.ops(
            "Split", 3, linear(g, normal, merged.weight, merged.bias, precision.wide), axis=-1
        )
        scores = position_scores(
            g, qkv[0], merged.to_position, heads, window(f"{layer}.self_attn"), length, width
        )
        if not causal:
            scores = g.op("Slice", scores, g.integers(0), length, g.integers(3))
        mixed = full_attention(g, qkv, scores, heads, causal=causal)
        out = f"{layer}.self_attn.linear_out"
        x = g.op(
            "Add",
            x,
            linear(g, mixed, tensors[f"{out}.weight"], tensors[f"{out}.bias"], precision.wide),
        )
        normal = _norm(g, x, tensors, f"{layer}.norm_ff", LAYER_EPSILON)
        inner = feed_forward(
            g, normal, tensors, f"{layer}.feed_forward", activation, precision.wide
        )
        x = g.op("Add", x, inner)
    return _norm(g, x, tensors, f"{name}.after_norm", OUTER_EPSILON)


def _windows(
    g: Graph, tensors: Tensors, length: str, positions: int, precision: Precision, *, causal: bool
) -> Callable[[str], str]:
    """Return the cutter of a layer's table: distances L ... 0 if causal, else L ... −(L − 1)."""
    lowest = 0 if causal else 1 - positions
    start = g.op("Sub", g.integers(positions), length)
    end = g.op(
        "Add",
        g.integers(positions + 1),
        g.integers(0) if causal else g.op("Sub", length, g.integers(1)),
    )

    def window(name: str) -> str:
        _, heads = projection(tensors, name)
        table = position_table(tensors, name, heads, range(positions, lowest - 1, -1))
        stored = g.weight(table.astype(precision.tables))
        return table_window(g, stored, start, end, precision.tables is np.float16)

    return window


def _embed(g: Graph, x: str, tensors: Tensors, name: str, precision: Precision) -> str:
    """Linear, norm, times √D."""
    weight = tensors[f"{name}.0.weight"]
    x = linear(g, x, weight, tensors[f"{name}.0.bias"], precision.wide)
    root = np.float32(len(weight) ** 0.5)
    gain, shift = tensors[f"{name}.1.weight"] * root, tensors[f"{name}.1.bias"] * root
    return layer_norm(g, x, gain, shift, OUTER_EPSILON)


def _norm(g: Graph, x: str, tensors: Tensors, name: str, epsilon: float) -> str:
    return layer_norm(g, x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], epsilon)
