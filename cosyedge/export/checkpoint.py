"""Read a PyTorch checkpoint without PyTorch and without running anything that stands in it.

A ``.pt`` file is a zip archive: ``NAME/data.pkl`` is a pickle that names storages by key, and
``NAME/data/KEY`` holds each storage's raw bytes. Only tensors and plain containers are known here;
every other global in the pickle is refused by name before it is looked up.
"""

import io
import math
import pickle
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.errors import SettingsError

PICKLE_MAX_BYTES = 32 << 20
STORED_TYPES = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "BFloat16Storage": "bfloat16",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "?",
}


@dataclass(frozen=True, slots=True)
class _Storage:
    """A storage's key in the archive, its element type and its length in elements."""

    key: str
    dtype: str
    elements: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A view on a storage, not read yet; offset and strides in elements."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Container(dict[Any, Any]):
    """Stand for an OrderedDict; the attributes that a pickle sets on one are dropped."""

    __slots__ = ()

    def __setstate__(self, state: object) -> None:
        """Ignore ``_metadata`` and whatever else was attached."""


class Checkpoint(Mapping[str, NDArray[np.float32]]):
    """The tensors of one ``.pt`` file by name, each read from the disk when it is asked for.

    Values are float32 and C-contiguous, whatever they were stored as.
    """

    def __init__(self, path: Path) -> None:
        """Read the index; raises SettingsError("model_invalid") for anything unexpected."""
        self.path = path
        self._archive = _open(path)
        self._root, tree = _read_index(path, self._archive)
        self._tensors = dict(_named(tree, ""))
        if not self._tensors:
            raise _invalid(path, "it holds no tensors")

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        """Read one tensor; raises SettingsError("model_invalid") when it is not there."""
        tensor = self._tensors.get(name)
        if tensor is None:
            raise _invalid(self.path, f"the tensor {name} is missing")
        return _read(self.path, self._archive, self._root, tensor)

    def __contains__(self, name: object) -> bool:
        """Say whether a tensor of this name exists, without reading it."""
        return name in self._tensors

    def __iter__(self) -> Iterator[str]:
        """Name the tensors in the file's order."""
        return iter(self._tensors)

    def __len__(self) -> int:
        """Count the tensors."""
        return len(self._tensors)

    def close(self) -> None:
        """Close the archive."""
        self._archive.close()


def _open(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise SettingsError("model_missing", f"{path} does not exist") from None
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise _invalid(path, f"not a zip archive as torch.save writes it ({error})") from error


def _read_index(path: Path, archive: zipfile.ZipFile) -> tuple[str, object]:
    names = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    if len(names) != 1 or names[0].count("/") != 1:
        raise _invalid(path, "it must hold exactly one data.pkl")
    root = names[0].removesuffix("data.pkl")
    order = f"{root}byteorder"
    if order in archive.namelist() and _member(path, archive, order, 16).strip() != b"little":
        raise _invalid(path, "its byte order is not little")
    data = _member(path, archive, names[0], PICKLE_MAX_BYTES)
    try:
        return root, _Unpickler(path, io.BytesIO(data)).load()
    except SettingsError:
        raise
    except (pickle.UnpicklingError, ValueError, TypeError, KeyError, IndexError, EOFError) as error:
        raise _invalid(path, f"its index cannot be read ({error})") from error
    except (AttributeError, OverflowError, MemoryError, RecursionError, UnicodeError) as error:
        raise _invalid(path, f"its index cannot be read ({error!r})") from error


class _Unpickler(pickle.Unpickler):
    """An unpickler that knows tensors and containers, and resolves no other name."""

    def __init__(self, path: Path, file: io.BytesIO) -> None:
        super().__init__(file)
        self._path = path

    def find_class(self, module: str, name: str) -> Any:
        """Return our own stand-in for an allowed global; never imports anything."""
        if (module, name) == ("collections", "OrderedDict"):
            return _Container
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild_tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _rebuild_parameter
        if module == "torch" and name in STORED_TYPES:
            return name
        raise _invalid(self._path, f"it asks for {module}.{name}, which is not a tensor")

    def persistent_load(self, pid: Any) -> _Storage:
        """Read ("storage", type, key, device, elements)."""
        kind, dtype, key, _device, elements = pid
        if kind != "storage" or dtype not in STORED_TYPES or not isinstance(key, str):
            raise _invalid(self._path, "it names an unknown kind of storage")
        if not isinstance(elements, int) or elements < 0:
            raise _invalid(self._path, "a storage has no length")
        return _Storage(key, STORED_TYPES[dtype], elements)


def _rebuild_tensor(
    storage: _Storage, offset: int, shape: Sequence[int], strides: Sequence[int], *_rest: object
) -> _Tensor:
    if not isinstance(storage, _Storage) or len(shape) != len(strides):
        raise ValueError("a tensor without a storage")
    numbers = (offset, *shape, *strides)
    if any(not isinstance(number, int) or number < 0 for number in numbers):
        raise ValueError("a tensor with a negative extent")
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    # Steps of zero would unfold a few numbers without bound.
    if 0 not in shape and max(last + 1, math.prod(shape)) > storage.elements:
        raise ValueError("a tensor reaches past the end of its storage")
    return _Tensor(storage, offset, tuple(shape), tuple(strides))


def _rebuild_parameter(data: object, *_rest: object) -> object:
    return data


def _named(tree: object, prefix: str) -> Iterator[tuple[str, _Tensor]]:
    """Flatten nested dictionaries; names are joined by a dot, other values are left out."""
    stack = [(prefix, tree)]
    seen: set[int] = set()
    while stack:
        name, value = stack.pop()
        if isinstance(value, _Tensor):
            yield name, value
        elif isinstance(value, dict) and id(value) not in seen:
            seen.add(id(value))
            items = [(f"{name}.{key}" if name else str(key), child) for key, child in value.items()]
            stack.extend(reversed(items))


def _read(path: Path, archive: zipfile.ZipFile, root: str, tensor: _Tensor) -> NDArray[np.float32]:
    storage = tensor.storage
    half = storage.dtype == "bfloat16"
    dtype = np.dtype("<u2" if half else storage.dtype)
    size_bytes = storage.elements * dtype.itemsize
    data = _member(path, archive, f"{root}data/{storage.key}", size_bytes)
    if len(data) != size_bytes:
        raise _invalid(path, f"storage {storage.key} has {len(data)} bytes instead of {size_bytes}")
    flat = np.frombuffer(data, dtype)
    if half:
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    view = np.lib.stride_tricks.as_strided(
        flat[tensor.offset :],
        tensor.shape,
        tuple(step * flat.itemsize for step in tensor.strides),
        writeable=False,
    )
    return np.ascontiguousarray(view, np.float32)


def _member(path: Path, archive: zipfile.ZipFile, name: str, max_bytes: int) -> bytes:
    """Read one entry whole; its checksum is verified by zipfile."""
    try:
        entry = archive.getinfo(name)
        # torch.save never compresses: a compressed entry may unfold without bound.
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            raise _invalid(path, f"{name} is compressed or encrypted")
        if entry.file_size > max_bytes:
            raise _invalid(path, f"{name} is larger than it may be")
        return archive.read(entry)
    except KeyError:
        raise _invalid(path, f"{name} is missing") from None
    except (OSError, zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
        raise _invalid(path, f"{name} cannot be read ({error})") from error


def _invalid(path: Path, what: str) -> SettingsError:
    return SettingsError("model_invalid", f"{path.name}: {what}", field=str(path))
