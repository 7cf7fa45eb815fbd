"""Build one ONNX graph; its weights go to the disk as they are made, so memory stays small.

Large weights stand in ``NAME.bin`` beside ``NAME.onnx`` ("external data"), which ONNX Runtime maps
instead of reading.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper, save_model

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float32]

OPSET = 17
MICROSOFT = "com.microsoft"
# Below this size a weight stands in the .onnx itself, where constants can be folded.
INLINE_MAX_BYTES = 1024
# A mapped weight must begin on a page, or ONNX Runtime copies it.
PAGE_BYTES = 4096

TYPES = {
    "float32": TensorProto.FLOAT,
    "int64": TensorProto.INT64,
    "int32": TensorProto.INT32,
}


class Graph:
    """A graph under construction: a method call adds a node and returns its output's name."""

    def __init__(self, folder: Path, name: str) -> None:
        """Open ``folder/name.bin`` for the weights."""
        self.name = name
        self._folder = folder
        self._weights = (folder / f"{name}.bin").open("wb")
        self._nodes: list[Any] = []
        self._initializers: list[TensorProto] = []
        self._constants: dict[str, str] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._count = 0

    def __enter__(self) -> "Graph":
        """Return the graph itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file of weights."""
        self._weights.close()

    def input(self, name: str, shape: Sequence[int | str], dtype: str = "float32") -> str:
        """Declare an input; a word in ``shape`` is a free dimension."""
        self._inputs.append(helper.make_tensor_value_info(name, TYPES[dtype], shape))
        return name

    def output(self, value: str, name: str, shape: Sequence[int | str]) -> None:
        """Declare ``value`` as the float output ``name``."""
        if value != name:
            self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TYPES["float32"], shape))

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output; an empty input name is an absent input."""
        return self.ops(kind, 1, *inputs, domain=domain, **attributes)[0]

    def ops(
        self, kind: str, outputs: int, *inputs: str, domain: str = "", **attributes: Any
    ) -> list[str]:
        """Add a node with several outputs."""
        names = [self._fresh(kind) for _ in range(outputs)]
        self.node(kind, list(inputs), names, domain, attributes)
        return names

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a node whose outputs are named by the caller."""
        self._nodes.append(
            helper.make_node(kind, inputs, outputs, domain=domain, **(attributes or {}))
        )

    def weight(self, values: Array) -> str:
        """Store an array; equal small ones are stored once."""
        values = np.ascontiguousarray(values)
        if values.nbytes > INLINE_MAX_BYTES:
            return self._external(values)
        key = f"{values.dtype}{values.shape}{hashlib.sha256(values.tobytes()).hexdigest()}"
        if key not in self._constants:
            name = self._constants[key] = self._fresh("constant")
            self._initializers.append(numpy_helper.from_array(values, name))
        return self._constants[key]

    def integers(self, *values: int) -> str:
        """Store a 1-D list of integers, as shapes and axes are given."""
        return self.weight(np.array(values, np.int64))

    def scalar(self, value: float) -> str:
        """Store one float."""
        return self.weight(np.array(value, np.float32))

    def save(self, metadata: Mapping[str, Any]) -> list[Path]:
        """Write the graph and return its files; a file of weights that is empty is dropped."""
        graph = helper.make_graph(
            self._nodes, self.name, self._inputs, self._outputs, self._initializers
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model: ModelProto = helper.make_model(
            graph, producer_name="cosyedge", opset_imports=opsets, ir_version=8
        )
        helper.set_model_props(model, {key: json.dumps(value) for key, value in metadata.items()})
        path = self._folder / f"{self.name}.onnx"
        save_model(model, path)
        self._weights.close()
        weights = Path(self._weights.name)
        if weights.stat().st_size:
            return [path, weights]
        weights.unlink()
        return [path]

    def _external(self, values: Array) -> str:
        name = self._fresh("weight")
        self._weights.write(b"\0" * (-self._weights.tell() % PAGE_BYTES))
        tensor = TensorProto(
            name=name,
            data_type=helper.np_dtype_to_tensor_dtype(values.dtype),
            dims=values.shape,
            data_location=TensorProto.EXTERNAL,
        )
        place = {
            "location": f"{self.name}.bin",
            "offset": self._weights.tell(),
            "length": values.nbytes,
        }
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        self._weights.write(values.data)
        self._initializers.append(tensor)
        return name

    def _fresh(self, kind: str) -> str:
        self._count += 1
        return f"{kind.lower()}_{self._count}"
