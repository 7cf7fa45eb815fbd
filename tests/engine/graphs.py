"""Tiny graphs for the session's tests."""

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper


def save_doubler(path: Path, *, opset: int = 17) -> Path:
    """Save y = x + x over a vector of any length."""
    node = helper.make_node("Add", ["x", "x"], ["y"])
    return _save(path, [node], ["n"], opset=opset)


def save_grinder(path: Path, *, size: int = 512, steps: int = 400) -> Path:
    """Save a chain of matrix products that takes long enough to be interrupted (seconds)."""
    names = ["x", *(f"y{step}" for step in range(steps - 1)), "y"]
    nodes = [
        helper.make_node("MatMul", [names[step], "w"], [names[step + 1]]) for step in range(steps)
    ]
    identity = np.eye(size, dtype=np.float32)
    weight = helper.make_tensor("w", TensorProto.FLOAT, [size, size], identity.ravel())
    return _save(path, nodes, [size, size], initializers=[weight])


def save_swallower(path: Path) -> Path:
    """Save a graph that repeats a vector n x n: its memory is the square of its input."""
    nodes = [
        helper.make_node("Unsqueeze", ["x", "last"], ["column"]),
        helper.make_node("Mul", ["column", "x"], ["square"]),
        helper.make_node("ReduceSum", ["square", "last"], ["y"], keepdims=0),
    ]
    last = helper.make_tensor("last", TensorProto.INT64, [1], [1])
    return _save(path, nodes, ["n"], initializers=[last])


def save_with_external_data(path: Path, location: str) -> Path:
    """Save y = x + w whose weight is said to lie in the file ``location``."""
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value=location)
    weight.external_data.add(key="offset", value="0")
    weight.external_data.add(key="length", value="16")
    node = helper.make_node("Add", ["x", "w"], ["y"])
    return _save(path, [node], [4], initializers=[weight])


def _save(path, nodes, shape, *, initializers=(), opset=17):
    vector = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "tiny", vector[:1], vector[1:], list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path
