"""ONNX Runtime sessions: the only importer of onnxruntime, and of its errors.

Every run is interruptible from another thread, uses the threads it was told to, and reports its
failures as :class:`EngineFailure`. The same session works on after a run that failed.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.engine.contract import Cancellation

# The Linux wheels since 1.29 carry telemetry that is on unless this stands before the import; an
# inherited "0" would switch it on again, so it is set, not defaulted.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors

Array: TypeAlias = NDArray[Any]

# ONNX Runtime's exceptions share no base class but Exception; run_with_iobinding raises
# RuntimeError("Error in execution: ...") for all of them.
_FAILURES: tuple[type[Exception], ...] = (
    MemoryError,
    RuntimeError,
    *(
        error
        for error in vars(ort_errors).values()
        if isinstance(error, type) and issubclass(error, Exception)
    ),
)
_TERMINATED = "terminate flag"
_OUT_OF_MEMORY = (
    "Failed to allocate memory",
    "std::bad_alloc",
    "Out of memory",
    # A thread's stack, of a pool that is started with the session.
    "pthread_create failed",
    "Cannot allocate memory",
)


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How one graph runs; the defaults are the measured ones (docs/reliability.md)."""

    threads: int = 1
    arena: bool = False
    memory_pattern: bool = False
    shrink_arena: bool = False
    optimize: bool = True


class Session:
    """One graph, loaded."""

    def __init__(self, model: Path, options: SessionOptions) -> None:
        """Load ``model``; raises EngineFailure (model_missing, model_invalid, out_of_memory)."""
        self._shrink_arena = options.shrink_arena
        try:
            # The fallback would print, and load the model a second time on the same processor.
            self._session = ort.InferenceSession(
                str(model),
                _ort_options(options),
                providers=["CPUExecutionProvider"],
                enable_fallback=0,
            )
        except _FAILURES as error:
            raise _load_failure(error, model.name) from error
        self.inputs = tuple(node.name for node in self._session.get_inputs())
        self.outputs = tuple(node.name for node in self._session.get_outputs())

    @property
    def metadata(self) -> dict[str, str]:
        """The graph's own key-value pairs."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    def run(
        self,
        feeds: Mapping[str, Array],
        cancel: Cancellation | None = None,
        outputs: Sequence[str] | None = None,
    ) -> list[Array]:
        """Run once and return ``outputs`` (all, if None) in their order.

        Raises Cancelled, or EngineFailure (out_of_memory, engine_error).
        """
        run_options = _run_options(self._shrink_arena)
        with _interruptible(run_options, cancel):
            try:
                return list(self._session.run(outputs, dict(feeds), run_options))
            except _FAILURES as error:
                raise _run_failure(error) from error

    def bind(self) -> "Binding":
        """Return an empty binding, for steps that share buffers."""
        return Binding(self._session, self._shrink_arena)


class Binding:
    """Inputs and outputs tied to arrays, so that nothing is copied between two steps.

    An array may be bound as an input and as an output at once (a key-value cache written in
    place), if the graph's operator allows it.
    """

    def __init__(self, session: ort.InferenceSession, shrink_arena: bool) -> None:
        self._session = session
        self._binding = session.io_binding()
        self._shrink_arena = shrink_arena
        self._held: dict[str, ort.OrtValue] = {}
        self._fresh: list[str] = []
        self._order: list[str] = []

    def read(self, name: str, array: Array) -> None:
        """Bind input ``name`` to ``array``: each run reads what stands in it then."""
        self._held[f"in {name}"] = value = _value(array)
        self._binding.bind_ortvalue_input(name, value)

    def write(self, name: str, array: Array) -> None:
        """Bind output ``name`` to ``array``: each run writes into it."""
        self._held[f"out {name}"] = value = _value(array)
        self._binding.bind_ortvalue_output(name, value)
        self._order.append(name)

    def make(self, name: str) -> None:
        """Let each run make a new array for output ``name``."""
        self._binding.bind_output(name)
        self._order.append(name)
        self._fresh.append(name)

    def run(self, cancel: Cancellation | None = None) -> dict[str, Array]:
        """Run once; return the outputs of :meth:`make` by name, valid until the next run.

        Raises Cancelled, or EngineFailure (out_of_memory, engine_error).
        """
        run_options = _run_options(self._shrink_arena)
        with _interruptible(run_options, cancel):
            try:
                self._session.run_with_iobinding(self._binding, run_options)
            except _FAILURES as error:
                raise _run_failure(error) from error
        if not self._fresh:
            return {}
        made = dict(zip(self._order, self._binding.get_outputs(), strict=True))
        return {name: made[name].numpy() for name in self._fresh}


def _value(array: Array) -> ort.OrtValue:
    if not array.flags.c_contiguous:
        raise ValueError("a bound array must be C-contiguous: it is used in place")
    return ort.OrtValue.ortvalue_from_numpy(array)


def _ort_options(options: SessionOptions) -> ort.SessionOptions:
    chosen = ort.SessionOptions()
    # Left at 0, ONNX Runtime pins its threads by sched_setaffinity, which containers forbid.
    chosen.intra_op_num_threads = max(1, options.threads)
    chosen.inter_op_num_threads = 1
    chosen.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    # Spinning threads take the core from the player: 27 against 12.7 ms a token with a neighbour.
    chosen.add_session_config_entry("session.intra_op.allow_spinning", "0")
    chosen.enable_cpu_mem_arena = options.arena
    chosen.enable_mem_pattern = options.memory_pattern
    chosen.log_severity_level = 4
    if not options.optimize:
        chosen.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return chosen


def _run_options(shrink_arena: bool) -> ort.RunOptions:
    chosen = ort.RunOptions()
    chosen.log_severity_level = 4
    if shrink_arena:
        chosen.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return chosen


def _interruptible(
    run_options: ort.RunOptions, cancel: Cancellation | None
) -> AbstractContextManager[None]:
    if cancel is None:
        return nullcontext()
    return cancel.stopping(partial(setattr, run_options, "terminate", True))


def _load_failure(error: Exception, name: str) -> EngineFailure:
    if _says_out_of_memory(error):
        return EngineFailure("out_of_memory", f"no memory to load {name}")
    if isinstance(error, ort_errors.NoSuchFile):
        return EngineFailure("model_missing", f"{name} is not there")
    return EngineFailure("model_invalid", f"{name} cannot be loaded: {_first_line(error)}")


def _run_failure(error: Exception) -> EngineFailure:
    if _TERMINATED in str(error):
        return Cancelled()
    if _says_out_of_memory(error):
        return EngineFailure("out_of_memory", "a run reached the worker's memory cap")
    return EngineFailure("engine_error", f"the run failed: {_first_line(error)}")


def _says_out_of_memory(error: Exception) -> bool:
    text = str(error)
    return isinstance(error, MemoryError) or any(phrase in text for phrase in _OUT_OF_MEMORY)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
