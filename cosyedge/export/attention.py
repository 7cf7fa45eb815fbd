"""Relative-position attention ("ESPnet, new style"), its position tables computed beforehand.

score(i, j) = [(q_i + u)·k_j + (q_i + v)·P(i − j)] / √head, where P(d) = linear_pos(PE(d)) depends
on no input. Eager PyTorch recomputes P over 2t + 1 rows in every layer at every step: at t = 500
that is eighty times the work of all the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cosyedge.export.graph import MICROSOFT, Floats, Graph
from cosyedge.export.layers import Linear, Precision, linear


@dataclass(frozen=True, slots=True)
class Heads:
    """The head count of a layer and the width of one."""

    count: int
    width: int


@dataclass(frozen=True, slots=True)
class Projection:
    """The merged layers of one attention: 1/√head and u are folded into the q part.

    ``weight`` [3·D, inputs] and ``bias`` [3·D] give q‖k‖v with D = heads · width; ``to_position``
    [D] turns q + u into q + v; ``out`` [outputs, D].
    """

    heads: Heads
    weight: Floats
    bias: Floats
    to_position: Floats
    out: Floats
    out_bias: Floats


def projection(tensors: Mapping[str, Floats], name: str, width: int | None = None) -> Projection:
    """Merge the tensors of ``name``; zeros widen each head to ``width``, which changes nothing."""
    u, v = tensors[f"{name}.pos_bias_u"], tensors[f"{name}.pos_bias_v"]
    scale = np.float32(u.shape[1] ** -0.5)
    heads = Heads(u.shape[0], width or u.shape[1])
    weights = {part: tensors[f"{name}.linear_{part}.weight"] for part in ("q", "k", "v", "out")}
    biases = {part: tensors[f"{name}.linear_{part}.bias"] for part in ("q", "k", "v", "out")}
    rows = (weights["q"] * scale, weights["k"], weights["v"])
    shifts = ((biases["q"] + u.reshape(-1)) * scale, biases["k"], biases["v"])
    return Projection(
        heads,
        np.concatenate([widened(part, heads) for part in rows]),
        np.concatenate([widened(part, heads) for part in shifts]),
        widened(((v - u) * scale).reshape(-1), heads),
        np.ascontiguousarray(widened(np.ascontiguousarray(weights["out"].T), heads).T),
        biases["out"],
    )


def widened(values: Floats, heads: Heads) -> Floats:
    """Widen the first axis, heads · their own width, to heads · ``heads.width`` with zeros."""
    by_head = values.reshape(heads.count, -1, *values.shape[1:])
    missing = heads.width - by_head.shape[1]
    if not missing:
        return values
    wide = np.pad(by_head, [(0, 0), (0, missing), *[(0, 0)] * (values.ndim - 1)])
    return wide.reshape(-1, *values.shape[1:])


def position_table(
    tensors: Mapping[str, Floats], name: str, heads: Heads, distances: range
) -> Floats:
    """Return P for ``distances``: [heads, distances, width].

    PE(d) holds sin(d·10000^(−2i/D)) at 2i and the cosine at 2i + 1.
    """
    weight = tensors[f"{name}.linear_pos.weight"]
    size = weight.shape[1]
    rate = np.exp(np.arange(0, size, 2, dtype=np.float32) * np.float32(-np.log(10000.0) / size))
    angle = np.arange(distances.start, distances.stop, distances.step)[:, None] * rate
    encoding = np.empty((len(distances), size), np.float32)
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angle), np.cos(angle)
    rows = widened(weight @ encoding.T, heads)
    return np.ascontiguousarray(rows.reshape(heads.count, heads.width, -1).transpose(0, 2, 1))


def position_scores(
    g: Graph, q: str, merged: Projection, window: str, rows: str, width: str
) -> str:
    """Return (q + v)·P(i − j): [batch, heads, rows, width] for ``q`` [batch, rows, D].

    ``window`` is P [heads, width + 1, head], whose entry c holds the distance (width − c) for the
    first row: each row is shifted by one against the row above. With one entry more than needed,
    dropping the first ``rows`` numbers of the flat product and reading it at ``width`` does that.
    """
    heads = merged.heads
    biased = g.op("Add", q, g.weight(merged.to_position))
    split = g.op("Reshape", biased, g.integers(0, 0, heads.count, heads.width))
    by_head = g.op("Transpose", split, perm=[0, 2, 1, 3])
    product = g.op("FusedMatMul", by_head, window, domain=MICROSOFT, transB=1)
    flat = g.op("Reshape", product, g.integers(0, heads.count, -1))
    end = g.integers(np.iinfo(np.int64).max)
    shifted = g.op("Slice", flat, rows, end, g.integers(2))
    shape = g.op("Concat", g.integers(0, heads.count), rows, width, axis=0)
    return g.op("Reshape", shifted, shape)


def table_window(g: Graph, table: Floats, start: str, end: str, precision: Precision) -> str:
    """Store ``table`` and cut entries [start, end) from it; half floats are widened after that."""
    stored = g.weight(table.astype(precision.tables))
    cut = g.op("Slice", stored, start, end, g.integers(1))
    return cut if precision.tables is np.float32 else g.op("Cast", cut, to=1)


def feed_forward(
    g: Graph, x: str, tensors: Mapping[str, Floats], name: str, activation: str, kind: Linear
) -> str:
    """Linear, activation, linear."""
    inner = linear(g, x, tensors[f"{name}.w_1.weight"], tensors[f"{name}.w_1.bias"], kind)
    if activation == "relu":
        active = g.op("Relu", inner)
    else:
        active = g.op("Mul", inner, g.op("Sigmoid", inner))
    return linear(g, active, tensors[f"{name}.w_2.weight"], tensors[f"{name}.w_2.bias"], kind)


def full_attention(
    g: Graph, qkv: list[str], scores: str, heads: Heads, *, causal: bool = False
) -> str:
    """Attend over whole sequences: q is scaled already, ``scores`` [1, heads, rows, rows]."""
    return g.op(
        "MultiHeadAttention",
        *qkv,
        "",
        "",
        scores,
        domain=MICROSOFT,
        num_heads=heads.count,
        scale=1.0,
        unidirectional=int(causal),
    )
