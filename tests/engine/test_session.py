"""Sessions run, are interrupted, and fail with a code."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.engine.contract import Cancellation
from cosyedge.engine.session import Session, SessionOptions
from tests.engine import graphs

OPTIONS = SessionOptions()


def test_run_returns_the_outputs_in_order(tmp_path: Path) -> None:
    session = Session(graphs.save_doubler(tmp_path / "m.onnx"), OPTIONS)
    (doubled,) = session.run({"x": np.array([1, 2], np.float32)})
    assert session.inputs == ("x",)
    assert session.outputs == ("y",)
    assert doubled.tolist() == [2, 4]


def test_bound_arrays_are_read_and_written_in_place(tmp_path: Path) -> None:
    session = Session(graphs.save_doubler(tmp_path / "m.onnx"), OPTIONS)
    x, y = np.array([1, 2], np.float32), np.zeros(2, np.float32)
    binding = session.bind()
    binding.read("x", x)
    binding.write("y", y)
    binding.run()
    x[:] = [5, 6]
    assert y.tolist() == [2, 4]
    assert binding.run() == {}
    assert y.tolist() == [10, 12]


def test_an_unbound_output_is_made_anew(tmp_path: Path) -> None:
    session = Session(graphs.save_doubler(tmp_path / "m.onnx"), OPTIONS)
    binding = session.bind()
    binding.read("x", np.array([3], np.float32))
    binding.make("y")
    assert binding.run()["y"].tolist() == [6]


def test_an_array_that_would_be_copied_cannot_be_bound(tmp_path: Path) -> None:
    session = Session(graphs.save_doubler(tmp_path / "m.onnx"), OPTIONS)
    with pytest.raises(ValueError, match="contiguous"):
        session.bind().read("x", np.zeros(8, np.float32)[::2])


@pytest.mark.parametrize("bound", [False, True])
def test_a_run_in_flight_ends_when_another_thread_asks(tmp_path: Path, bound: bool) -> None:
    session = Session(graphs.save_grinder(tmp_path / "m.onnx"), OPTIONS)
    x = np.ones((512, 512), np.float32)
    binding = session.bind()
    binding.read("x", x)
    binding.make("y")
    began = time.monotonic()
    binding.run()
    whole_s = time.monotonic() - began
    cancel = Cancellation()
    timer = threading.Timer(whole_s / 10, cancel.request)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        binding.run(cancel) if bound else session.run({"x": x}, cancel)
    timer.join()
    assert time.monotonic() - began < whole_s * 0.9
    assert np.array_equal(session.run({"x": x})[0], x)


def test_a_run_asked_to_stop_before_it_starts_does_not_start(tmp_path: Path) -> None:
    session = Session(graphs.save_doubler(tmp_path / "m.onnx"), OPTIONS)
    cancel = Cancellation()
    cancel.request()
    with pytest.raises(Cancelled):
        session.run({"x": np.zeros(1, np.float32)}, cancel)


def test_wrong_feeds_are_an_engine_error(tmp_path: Path) -> None:
    session = Session(graphs.save_doubler(tmp_path / "m.onnx"), OPTIONS)
    with pytest.raises(EngineFailure) as caught:
        session.run({"x": np.zeros((2, 2), np.int64)})
    assert caught.value.code == "engine_error"


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineFailure) as caught:
        Session(tmp_path / "absent.onnx", OPTIONS)
    assert caught.value.code == "model_missing"
    assert "absent.onnx" in str(caught.value)


def _truncated(path: Path) -> None:
    content = graphs.save_grinder(path, size=64, steps=3).read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda path: path.write_bytes(b""), id="empty"),
        pytest.param(_truncated, id="truncated"),
        pytest.param(lambda path: path.write_text("<!doctype html><html>404"), id="html"),
        pytest.param(lambda path: graphs.save_doubler(path, opset=900), id="wrong-opset"),
        pytest.param(lambda path: path.mkdir(), id="folder"),
    ],
)
def test_a_spoilt_model_is_model_invalid(tmp_path: Path, spoil) -> None:
    model = tmp_path / "m.onnx"
    spoil(model)
    with pytest.raises(EngineFailure) as caught:
        Session(model, OPTIONS)
    assert caught.value.code == "model_invalid"


@pytest.mark.parametrize("location", ["../secret.bin", "{absolute}"])
def test_external_data_outside_the_folder_is_refused(tmp_path: Path, location: str) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    inside = tmp_path / "voice"
    inside.mkdir()
    place = location.format(absolute=secret)
    with pytest.raises(EngineFailure) as caught:
        Session(graphs.save_with_external_data(inside / "m.onnx", place), OPTIONS)
    assert caught.value.code == "model_invalid"


def test_external_data_through_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    inside = tmp_path / "voice"
    inside.mkdir()
    (inside / "weights.bin").symlink_to(secret)
    with pytest.raises(EngineFailure) as caught:
        Session(graphs.save_with_external_data(inside / "m.onnx", "weights.bin"), OPTIONS)
    assert caught.value.code == "model_invalid"


def test_external_data_beside_the_model_is_read(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    session = Session(graphs.save_with_external_data(tmp_path / "m.onnx", "weights.bin"), OPTIONS)
    assert session.run({"x": np.zeros(4, np.float32)})[0].tolist() == [0, 1, 2, 3]


UNDER_A_CAP = """
import sys
from pathlib import Path
import numpy as np
from cosyedge.core.errors import EngineFailure
from cosyedge.engine.session import Session, SessionOptions
from cosyedge.worker.limits import cap_memory, memory

session = Session(Path(sys.argv[1]), SessionOptions(arena=sys.argv[2] == "arena"))
cap_memory(memory()[0] + (64 << 20))
small, large = np.ones(100, np.float32), np.ones(20_000, np.float32)
for _ in range(3):
    assert session.run({"x": small})[0][0] == 100
    try:
        session.run({"x": large})
    except EngineFailure as failure:
        print(failure.code)
"""


@pytest.mark.parametrize("allocator", ["arena", "plain"])
def test_a_run_over_the_cap_fails_and_the_session_goes_on(tmp_path: Path, allocator: str) -> None:
    model = graphs.save_swallower(tmp_path / "m.onnx")
    ran = subprocess.run(
        [sys.executable, "-c", UNDER_A_CAP, model, allocator],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["out_of_memory"] * 3


NO_ROOM_FOR_THREADS = """
import sys
from pathlib import Path
from cosyedge.core.errors import EngineFailure
from cosyedge.engine.session import Session, SessionOptions
from cosyedge.worker.limits import cap_memory, memory

cap_memory(memory()[0] + (4 << 20))
try:
    Session(Path(sys.argv[1]), SessionOptions(threads=8))
except EngineFailure as failure:
    print(failure.code)
"""


def test_a_cap_that_leaves_no_room_for_threads_is_no_fault_of_the_model(tmp_path: Path) -> None:
    model = graphs.save_swallower(tmp_path / "m.onnx")
    ran = subprocess.run(
        [sys.executable, "-c", NO_ROOM_FOR_THREADS, model],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["out_of_memory"]
