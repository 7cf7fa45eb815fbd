"""The language model's step: any number of new rows against a key-value cache written in place."""

from dataclasses import dataclass

import numpy as np

from cosyedge.engine.cosyvoice.plan import cache_width
from cosyedge.export.attention import (
    feed_forward,
    position_scores,
    position_table,
    projection,
    table_window,
)
from cosyedge.export.encoder import LAYER_EPSILON, OUTER_EPSILON, Stack
from cosyedge.export.graph import MICROSOFT, Graph
from cosyedge.export.layers import linear

END = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the new rows stand: values that every layer reads.

    ``new`` and ``width``: rows of this run, and rows with those in the cache, as shapes [1];
    ``start``: the first entry of a position table; ``last``, ``total``, ``mask``: see below.
    """

    new: str
    width: str
    start: str
    last: str
    total: str
    mask: str


def language_model(g: Graph, stack: Stack) -> None:
    """Rows [batch, new, inputs] after the cached ones → logits [batch, speech + 1] of the last.

    Serves the prefix (many rows, empty cache) and the step (one row) from one set of weights.
    ``total``: rows in the cache after this run; ``last`` [batch]: that less one. ``mask``
    [batch, 1, 1, total] is added to the scores: rows of a batch end at the same position, shorter
    ones begin later, and what stands before their beginning is masked. Only distances matter to
    the model, so that is exact.
    """
    tensors, kind = stack.tensors, stack.precision.step
    embed = f"{stack.name}.embed.out"
    weight, bias = tensors[f"{embed}.0.weight"], tensors[f"{embed}.0.bias"]
    x = g.input("rows", ["batch", "new", weight.shape[1]])
    place = _place(g, stack, x)
    x = linear(g, x, weight, bias, kind)
    # The root of D is folded into the norm: ReLU lets it through.
    x = g.op("Relu", stack.norm(g, x, f"{embed}.1", OUTER_EPSILON, scale=len(weight) ** 0.5))
    for index, layer in enumerate(stack.layers):
        normal = stack.norm(g, x, f"{layer}.norm1", LAYER_EPSILON)
        x = g.op("Add", x, _attend(g, normal, stack, index, place))
        normal = stack.norm(g, x, f"{layer}.norm2", LAYER_EPSILON)
        name = f"{layer}.feed_forward"
        x = g.op("Add", x, feed_forward(g, normal, tensors, name, stack.activation, kind))
    x = g.op("Slice", x, g.integers(-1), g.integers(END), g.integers(1))
    x = stack.norm(g, x, f"{stack.name}.after_norm", OUTER_EPSILON)
    weight, bias = tensors["llm_decoder.weight"], tensors["llm_decoder.bias"]
    logits = g.op("Squeeze", linear(g, x, weight, bias, kind), g.integers(1))
    g.output(logits, "logits", ["batch", len(bias)])


def _place(g: Graph, stack: Stack, rows: str) -> _Place:
    mask = g.input("mask", ["batch", 1, 1, "total"])
    last, total = g.input("last", ["batch"], "int32"), g.input("total", [], "int32")
    width = g.op("Reshape", g.op("Cast", total, to=7), g.integers(1))
    return _Place(
        new=g.op("Slice", g.op("Shape", rows), g.integers(1), g.integers(2)),
        width=width,
        start=g.op("Sub", g.integers(stack.positions), width),
        last=last,
        total=total,
        mask=mask,
    )


def _attend(g: Graph, x: str, stack: Stack, index: int, place: _Place) -> str:
    """Attend to the cache and the new rows, which are written behind it."""
    name, kind = f"{stack.layers[index]}.self_attn", stack.precision.step
    width = cache_width(stack.tensors[f"{name}.pos_bias_u"].shape[1])
    merged = projection(stack.tensors, name, width)
    heads = merged.heads
    qkv = linear(g, x, merged.weight, merged.bias, kind)
    size = heads.count * heads.width
    q = g.op("Slice", qkv, g.integers(0), g.integers(size), g.integers(2))
    table = position_table(stack.tensors, name, heads, range(stack.positions, -1, -1))
    end = g.integers(stack.positions + 1)
    window = table_window(g, table, place.start, end, stack.precision)
    scores = position_scores(g, q, merged, window, place.new, place.width)
    masked = g.op("Add", scores, place.mask)
    shape: list[int | str] = ["batch", heads.count, "room", heads.width]
    cache = [g.input(f"{part}_{index}", shape) for part in ("key", "value")]
    outputs = [f"mixed_{index}", *(f"new_{part}" for part in cache)]
    g.node(
        "GroupQueryAttention",
        [qkv, "", "", *cache, place.last, place.total, "", "", "", masked],
        outputs,
        MICROSOFT,
        {"num_heads": heads.count, "kv_num_heads": heads.count, "scale": 1.0},
    )
    for part in outputs[1:]:
        g.output(part, part, shape)
    return linear(g, outputs[0], merged.out, merged.out_bias, kind)
