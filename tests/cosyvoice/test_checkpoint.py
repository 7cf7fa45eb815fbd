"""A checkpoint is data: whatever stands in it, nothing is run, and what is wrong is named."""

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cosyedge.core.errors import SettingsError
from cosyedge.export.checkpoint import Checkpoint
from cosyedge.export.recipe import read_recipe
from tests.cosyvoice.bundles import FIXTURE


def word(text: str) -> bytes:
    """A string, as a pickle holds it."""
    data = text.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def tensor(
    key: str = "0",
    kind: str = "FloatStorage",
    elements: int = 6,
    offset: int = 0,
    shape: tuple[int, ...] = (2, 3),
    strides: tuple[int, ...] = (3, 1),
) -> bytes:
    """A tensor, as torch.save pickles one."""
    storage = b"(" + word("storage") + b"ctorch\n" + kind.encode() + b"\n" + word(key)
    storage += word("cpu") + number(elements) + b"tQ"
    sizes = b"".join(b"(" + b"".join(map(number, part)) + b"t" for part in (shape, strides))
    return (
        b"ctorch._utils\n_rebuild_tensor_v2\n("
        + storage
        + number(offset)
        + sizes
        + b"\x89ccollections\nOrderedDict\n)RtR"
    )


def state(*items: tuple[str, bytes]) -> bytes:
    pairs = b"".join(word(name) + value for name, value in items)
    return b"\x80\x02}(" + pairs + b"u."


def save(path: Path, index: bytes, method: int = zipfile.ZIP_STORED, **storages: bytes) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("model/data.pkl", index)
        archive.writestr("model/byteorder", "little")
        for name, data in storages.items():
            archive.writestr(f"model/data/{name.removeprefix('s')}", data)
    return path


NUMBERS = np.arange(6, dtype=np.float32)


def test_tensors_are_read_whole_and_by_strides(tmp_path: Path) -> None:
    index = state(("a", tensor()), ("b", tensor(shape=(3, 2), strides=(1, 3))))
    checkpoint = Checkpoint(save(tmp_path / "m.pt", index, s0=NUMBERS.tobytes()))
    np.testing.assert_array_equal(checkpoint["a"], NUMBERS.reshape(2, 3))
    np.testing.assert_array_equal(checkpoint["b"], NUMBERS.reshape(2, 3).T)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("HalfStorage", NUMBERS.astype(np.float16).tobytes()),
        ("DoubleStorage", NUMBERS.astype(np.float64).tobytes()),
        ("BFloat16Storage", (NUMBERS.view(np.uint32) >> 16).astype(np.uint16).tobytes()),
        ("LongStorage", NUMBERS.astype(np.int64).tobytes()),
    ],
)
def test_other_number_types_become_float32(tmp_path: Path, kind: str, data: bytes) -> None:
    checkpoint = Checkpoint(save(tmp_path / "m.pt", state(("a", tensor(kind=kind))), s0=data))
    assert checkpoint["a"].dtype == np.float32
    np.testing.assert_array_equal(checkpoint["a"].reshape(-1), NUMBERS)


def test_nested_names_are_joined_and_other_values_left_out(tmp_path: Path) -> None:
    inner = b"}(" + word("embedding") + tensor() + word("note") + word("hello") + b"u"
    checkpoint = Checkpoint(save(tmp_path / "m.pt", state(("中文女", inner)), s0=NUMBERS.tobytes()))
    assert list(checkpoint) == ["中文女.embedding"]


def hostile(marker: Path) -> dict[str, bytes]:
    """Pickles that do something when an ordinary unpickler reads them."""
    command = word(f"touch {marker}")
    nested = b"cbuiltins\neval\n" + word(f"open({str(marker)!r}, 'w')") + b"\x85R."
    return {
        "os.system": b"\x80\x02cposix\nsystem\n" + command + b"\x85R.",
        "inside a state": state(("a", b"cposix\nsystem\n" + command + b"\x85R")),
        "builtins": b"\x80\x02" + nested,
        "protocol 4": b"\x80\x04" + word("posix") + word("system") + b"\x93" + command + b"\x85R.",
        "dotted name": b"\x80\x04" + word("collections") + word("OrderedDict.__init__") + b"\x93.",
        "nested load": state(
            ("a", b"ctorch.storage\n_load_from_bytes\nC" + bytes([len(nested)]) + nested + b"\x85R")
        ),
        "an instance": b"\x80\x02(" + command + b"ios\nsystem\n.",
        "an extension": b"\x80\x02\x82\x01" + command + b"\x85R.",
    }


@pytest.mark.parametrize("name", hostile(Path()))
def test_nothing_in_a_pickle_is_run(tmp_path: Path, name: str) -> None:
    marker = tmp_path / "run"
    path = save(tmp_path / "m.pt", hostile(marker)[name], s0=NUMBERS.tobytes())
    with pytest.raises(SettingsError) as raised:
        Checkpoint(path)
    assert raised.value.code == "model_invalid"
    assert not marker.exists()


def test_the_attributes_that_a_pickle_sets_are_dropped(tmp_path: Path) -> None:
    odd = b"ccollections\nOrderedDict\n)R(" + word("a") + tensor() + b"u"
    odd += b"}" + word("items") + word("not a method") + b"sb"
    checkpoint = Checkpoint(save(tmp_path / "m.pt", b"\x80\x02" + odd + b".", s0=NUMBERS.tobytes()))
    assert list(checkpoint) == ["a"]


@pytest.mark.parametrize(
    "bad",
    [
        tensor(offset=1),
        tensor(shape=(2, 4), strides=(4, 1)),
        tensor(shape=(2, 3), strides=(1 << 20, 1)),
        tensor(shape=(1 << 20, 1 << 20), strides=(0, 0)),
        tensor(shape=(-2, 3)),
        tensor(strides=(-3, 1)),
        tensor(shape=(2, 3), strides=(1,)),
        tensor(elements=-1),
        tensor(kind="EvilStorage"),
        b"(" + word("storage") + word("x") + b"tQ",
    ],
)
def test_a_tensor_outside_its_storage_is_refused(tmp_path: Path, bad: bytes) -> None:
    path = save(tmp_path / "m.pt", state(("a", bad)), s0=NUMBERS.tobytes())
    with pytest.raises(SettingsError, match=r"m\.pt"):
        Checkpoint(path)


@pytest.mark.parametrize("key", ["../../../etc/passwd", "1", "0/../0", "/etc/passwd"])
def test_a_storage_is_only_found_inside_the_archive(tmp_path: Path, key: str) -> None:
    path = save(tmp_path / "m.pt", state(("a", tensor(key=key))), s0=NUMBERS.tobytes())
    with pytest.raises(SettingsError, match="missing"):
        Checkpoint(path)["a"]


def test_a_storage_of_the_wrong_size_is_refused(tmp_path: Path) -> None:
    short = save(tmp_path / "m.pt", state(("a", tensor())), s0=NUMBERS.tobytes()[:-4])
    with pytest.raises(SettingsError, match="20 bytes instead of 24"):
        Checkpoint(short)["a"]
    long = save(tmp_path / "m.pt", state(("a", tensor())), s0=NUMBERS.tobytes() + b"....")
    with pytest.raises(SettingsError, match="larger"):
        Checkpoint(long)["a"]


def test_compressed_entries_are_refused_unread(tmp_path: Path) -> None:
    bomb = bytes(64 << 20)
    path = save(tmp_path / "m.pt", state(("a", tensor())), zipfile.ZIP_DEFLATED, s0=bomb)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(SettingsError, match="compressed"):
        Checkpoint(path)


@pytest.mark.parametrize("keep", [0, 10, 0.3, 0.9, 0.999])
def test_a_truncated_file_is_refused(tmp_path: Path, keep: float) -> None:
    data = (FIXTURE / "hift.pt").read_bytes()
    path = tmp_path / "hift.pt"
    path.write_bytes(data[: int(keep if keep > 1 else keep * len(data))])
    with pytest.raises(SettingsError, match=r"hift\.pt"):
        Checkpoint(path)


def test_a_flipped_bit_in_a_weight_is_noticed(tmp_path: Path) -> None:
    whole = save(tmp_path / "m.pt", state(("a", tensor())), s0=NUMBERS.tobytes())
    data = bytearray(whole.read_bytes())
    data[data.index(NUMBERS.tobytes()) + 9] ^= 1
    whole.write_bytes(data)
    with pytest.raises(SettingsError, match="cannot be read"):
        Checkpoint(whole)["a"]


def test_a_pickle_that_holds_no_tensor_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no tensors"):
        Checkpoint(save(tmp_path / "m.pt", b"\x80\x02}."))


@pytest.mark.parametrize("index", [b"", b"\x80\x02", b"garbage", b"\x80\x02(" * 9000, b"N."])
def test_a_broken_pickle_is_refused(tmp_path: Path, index: bytes) -> None:
    with pytest.raises(SettingsError, match=r"m\.pt"):
        Checkpoint(save(tmp_path / "m.pt", index))


def test_two_indices_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path / "m.pt", state(("a", tensor())))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other/data.pkl", state(("a", tensor())))
    with pytest.raises(SettingsError, match=r"exactly one data\.pkl"):
        Checkpoint(path)


Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "cosyvoice.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_the_official_file_is_read_as_data() -> None:
    recipe = read_recipe(FIXTURE / "cosyvoice.yaml")
    assert recipe.count("hift.sampling_rate") == 22050
    assert recipe.number("flow.decoder.cfm_params.content.inference_cfg_rate") == 0.7
    assert recipe.counts("hift.resblock_dilation_sizes", None) == ((1, 3, 5),) * 3


@pytest.mark.parametrize(
    "tag",
    ["!new:os.system", "!name:os.system", "!apply:os.system", "!!python/object/apply:os.system"],
)
def test_no_yaml_tag_is_executed(write: Write, tmp_path: Path, tag: str) -> None:
    marker = tmp_path / "run"
    path = write(f"a: {tag} ['touch {marker}']\nb: 3\n")
    if tag.startswith("!!"):
        with pytest.raises(SettingsError, match="not plain YAML"):
            read_recipe(path)
    else:
        assert read_recipe(path).count("b") == 3
    assert not marker.exists()


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: [*a, *a]",
        "a: [" * 5000,
        "- a",
        "a: 'x",
        "\x00",
        "a: " + "x" * (1 << 20),
    ],
)
def test_hostile_yaml_is_refused(write: Write, text: str) -> None:
    with pytest.raises(SettingsError, match=r"cosyvoice\.yaml"):
        read_recipe(write(text))


def test_a_reference_in_a_circle_is_refused(write: Write) -> None:
    recipe = read_recipe(write("a: !ref <b>\nb: !ref <a>\n"))
    with pytest.raises(SettingsError, match="a is missing or wrong"):
        recipe.number("a")


@pytest.mark.parametrize("value", ["-1", "0", "1.5", "yes", "[1]", ".inf", "99999999999"])
def test_a_size_that_is_no_size_is_refused(write: Write, value: str) -> None:
    with pytest.raises(SettingsError, match="heads is missing or wrong"):
        read_recipe(write(f"heads: {value}\n")).count("heads")
