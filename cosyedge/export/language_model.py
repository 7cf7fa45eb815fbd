"""The language model's step: any number of new rows against a key-value cache written in place."""

import numpy as np

from cosyedge.export.attention import (
    feed_forward,
    position_scores,
    position_table,
    projection,
    table_window,
)
from cosyedge.export.encoder import LAYER_EPSILON, OUTER_EPSILON, Tensors, count_layers
from cosyedge.export.graph import MICROSOFT, Graph
from cosyedge.export.layers import Precision, layer_norm, linear


def language_model(
    g: Graph, tensors: Tensors, positions: int, activation: str, precision: Precision
) -> None:
    """Rows [batch, new, D] after ``past`` cached ones → logits [batch, speech + 1] of the last.

    Serves the prefix (many rows, empty cache) and the step (one row) from one set of weights.
    ``mask`` [batch, 1, 1, past + new] is added to the scores: rows of a batch end at the same
    position, shorter ones begin later, and what stands before their beginning is masked. Only
    distances matter to the model, so that is exact.
    """
    decoder = tensors["llm_decoder.weight"]
    size = decoder.shape[1]
    x = g.input("rows", ["batch", "new", size])
    mask = g.input("mask", ["batch", 1, 1, "total"])
    lengths = g.input("last", ["batch"], "int32")
    total = g.input("total", [], "int32")
    new = g.op("Slice", g.op("Shape", x), g.integers(1), g.integers(2))
    width = g.op("Reshape", g.op("Cast", total, to=7), g.integers(1))
    start = g.op("Sub", g.integers(positions), width)

    x = _embed(g, x, tensors, precision)
    for index in range(count_layers(tensors, "llm.encoders")):
        layer = f"llm.encoders.{index}"
        attention = f"{layer}.self_attn"
        normal = _norm(g, x, tensors, f"{layer}.norm1", LAYER_EPSILON)
        merged, heads = projection(tensors, attention)
        qkv = linear(g, normal, merged.weight, merged.bias, precision.step)
        q = g.op("Slice", qkv, g.integers(0), g.integers(size), g.integers(2))
        table = position_table(tensors, attention, heads, range(positions, -1, -1))
        end = g.integers(positions + 1)
        half = precision.tables is np.float16
        window = table_window(g, g.weight(table.astype(precision.tables)), start, end, half)
        scores = position_scores(g, q, merged.to_position, heads, window, new, width)
        mixed = f"mixed_{index}"
        shape: list[int | str] = ["batch", heads.count, "room", heads.width]
        g.node(
            "GroupQueryAttention",
            [
                qkv,
                "",
                "",
                g.input(f"key_{index}", shape),
                g.input(f"value_{index}", shape),
                lengths,
                total,
                "",
                "",
                "",
                g.op("Add", scores, mask),
            ],
            [mixed, f"new_key_{index}", f"new_value_{index}"],
            MICROSOFT,
            {"num_heads": heads.count, "kv_num_heads": heads.count, "scale": 1.0},
        )
        g.output(f"new_key_{index}", f"new_key_{index}", shape)
        g.output(f"new_value_{index}", f"new_value_{index}", shape)
        out = f"{attention}.linear_out"
        x = g.op(
            "Add",
            x,
            linear(g, mixed, tensors[f"{out}.weight"], tensors[f"{out}.bias"], precision.step),
        )
        normal = _norm(g, x, tensors, f"{layer}.norm2", LAYER_EPSILON)
        inner = feed_forward(
            g, normal, tensors, f"{layer}.feed_forward", activation, precision.step
        )
        x = g.op("Add", x, inner)
    end = g.integers(np.iinfo(np.int64).max)
    last = g.op("Slice", x, g.integers(-1), end, g.integers(1))
    last = _norm(g, last, tensors, "llm.after_norm", OUTER_EPSILON)
    logits = linear(g, last, decoder, tensors["llm_decoder.bias"], precision.step)
    g.output(g.op("Squeeze", logits, g.integers(1)), "logits", ["batch", len(decoder)])


def _embed(g: Graph, x: str, tensors: Tensors, precision: Precision) -> str:
    """Linear, norm, ReLU, times √D; the root is folded into the norm, which ReLU lets through."""
    weight, bias = tensors["llm.embed.out.0.weight"], tensors["llm.embed.out.0.bias"]
    x = linear(g, x, weight, bias, precision.step)
    root = np.float32(len(weight) ** 0.5)
    gain, shift = tensors["llm.embed.out.1.weight"], tensors["llm.embed.out.1.bias"]
    return g.op("Relu", layer_norm(g, x, gain * root, shift * root, OUTER_EPSILON))


def _norm(g: Graph, x: str, tensors: Tensors, name: str, epsilon: float) -> str:
    return layer_norm(g, x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], epsilon)
