"""Exports: resumable, refusing what no graph is built for, and told by the command."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
import yaml

from cosyedge.adapters.voice_folder import read_manifest
from cosyedge.core.errors import SettingsError
from cosyedge.export.bundle import Order, write_bundle
from cosyedge.export.source import open_source
from tests.cosyvoice.bundles import FIXTURE, export_fixture, export_random, quiet


class Interrupted(Exception):
    """The power went."""


def interrupted_at(part: str) -> Callable[[str, int, int], None]:
    def told(name: str, number: int, count: int) -> None:
        if name == part:
            raise Interrupted

    return told


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_an_interrupted_export_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with ExitStack() as stack:
        source = open_source(FIXTURE, stack)
        order = Order(tmp_path, "fp32", None, "fixture")
        with pytest.raises(Interrupted):
            write_bundle(source, order, interrupted_at("estimator"))
        assert not (tmp_path / "manifest.toml").exists()
        before = times(tmp_path)
        (tmp_path / "regulator.bin").write_bytes(b"torn")
        write_bundle(source, order, quiet)
    after = times(tmp_path)
    kept = {name for name in before if after.get(name) == before[name]}
    assert {"text_encoder.onnx", "language_model.bin", "flow_encoder.bin"} <= kept
    assert not {"regulator.onnx", "regulator.bin"} & kept
    assert read_manifest(tmp_path / "manifest.toml").engine == "cosyvoice"
    assert not (tmp_path / ".export.json").exists()


def test_another_precision_begins_anew(tmp_path: Path) -> None:
    with ExitStack() as stack:
        source = open_source(FIXTURE, stack)
        with pytest.raises(Interrupted):
            write_bundle(source, Order(tmp_path, "fp32", None, ""), interrupted_at("estimator"))
        write_bundle(source, Order(tmp_path, "int8", None, ""), quiet)
    fresh = export_fixture(tmp_path / "fresh", "int8")
    for path in fresh.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes() or path.suffix == ".toml"


def test_the_manifest_names_every_file_and_its_source(tmp_path: Path) -> None:
    folder = export_fixture(tmp_path / "voice", "int8")
    voice = read_manifest(folder / "manifest.toml")
    on_disk = {path.name for path in folder.iterdir()} - {"manifest.toml"}
    assert {file.path for file in voice.files} == on_disk
    assert voice.default_speaker == "中文女"
    assert len(voice.speakers) == 7
    assert set(voice.languages) == {"zh", "en", "ja", "yue", "ko"}


def test_int8_is_smaller_than_fp32(tmp_path: Path) -> None:
    sizes = {
        precision: sum(
            path.stat().st_size
            for path in export_random(tmp_path / precision, precision).glob("language_model.bin")
        )
        for precision in ("int8", "fp32")
    }
    assert sizes["int8"] < sizes["fp32"] * 0.6


def edited(folder: Path, change: Callable[[str], str]) -> Path:
    shutil.copytree(FIXTURE, folder)
    path = folder / "cosyvoice.yaml"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("act_fn: 'gelu'", "act_fn: 'snakebeta'"),
        ("pos_enc_layer_type: 'rel_pos_espnet'", "pos_enc_layer_type: 'abs_pos'"),
        ("macaron_style: False", "macaron_style: True"),
        ("solver: 'euler'", "solver: 'midpoint'"),
        ("static_chunk_size: 1", "static_chunk_size: 4"),
        ("n_fft: 16", "n_fft: 32"),
    ],
)
def test_a_variant_that_no_graph_is_built_for_is_refused(
    tmp_path: Path, old: str, new: str
) -> None:
    folder = edited(tmp_path / "model", lambda text: text.replace(old, new))
    with ExitStack() as stack, pytest.raises(SettingsError, match=old.partition(":")[0]):
        write_bundle(open_source(folder, stack), Order(tmp_path / "o", "fp32", None, ""), quiet)


def test_hyperparameters_come_from_the_file(tmp_path: Path) -> None:
    def change(text: str) -> str:
        changes = {
            "top_k: 25": "top_k: 7",
            "nsf_alpha: 0.1": "nsf_alpha: 0.2",
            "inference_cfg_rate: 0.7": "inference_cfg_rate: 0.5",
            "sample_rate: 22050": "sample_rate: 24000",
        }
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        return text

    with ExitStack() as stack:
        plan = open_source(edited(tmp_path / "model", change), stack).plan("fp32")
    assert plan.language.top_k == 7
    assert plan.vocoder.source_amplitude == 0.2
    assert plan.flow.guidance == 0.5
    assert plan.rate_hz == 24000


@pytest.mark.parametrize("name", ["llm.pt", "flow.pt", "hift.pt", "spk2info.pt", "cosyvoice.yaml"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    shutil.copytree(FIXTURE, tmp_path / "model")
    (tmp_path / "model" / name).unlink()
    with ExitStack() as stack, pytest.raises(SettingsError, match=name):
        open_source(tmp_path / "model", stack)


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "model")
    shutil.copyfile(FIXTURE / "hift.pt", tmp_path / "model" / "flow.pt")
    with ExitStack() as stack, pytest.raises(SettingsError, match=r"flow\.pt: the tensor"):
        write_bundle(
            open_source(tmp_path / "model", stack), Order(tmp_path / "out", "fp32", None, ""), quiet
        )


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cosyedge", *words],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "ORT_DISABLE_TELEMETRY": "1"},
    )


def test_the_command_exports_and_verifies(tmp_path: Path) -> None:
    bundle = str(tmp_path / "voice")
    made = command("export", "cosyvoice", str(FIXTURE), bundle, "--precision", "fp32")
    assert made.returncode == 0, made.stderr
    reference = ("--reference", str(FIXTURE / "reference.npz"))
    found = command("voices", "verify", bundle, *reference, "--json")
    assert found.returncode == 0, found.stderr
    errors = json.loads(found.stdout)
    assert max(errors["logits"], errors["mel"], errors["wav"] / 10) <= 1e-4
    other = command("voices", "verify", bundle, *reference, "--json", "--seed", "6")
    assert other.returncode == 1
    assert json.loads(other.stdout)["mel"] > 0.1
    silent = command("voices", "verify", bundle)
    assert silent.returncode == 2
    assert "vocabulary" in silent.stderr


def changed(path: Path, **arrays: np.ndarray | None) -> str:
    """Write the fixture's reference anew, with other arrays; None leaves one out."""
    with np.load(FIXTURE / "reference.npz") as archive:
        wanted = {**archive, **arrays}
    np.savez(path, **{name: array for name, array in wanted.items() if array is not None})
    return str(path)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_reference_that_cannot_be_compared_with_is_named(tmp_path: Path, precision: str) -> None:
    bundle = str(tmp_path / "voice")
    made = command("export", "cosyvoice", str(FIXTURE), bundle, "--precision", precision)
    assert made.returncode == 0, made.stderr
    with np.load(FIXTURE / "reference.npz") as archive:
        logits, embedding = archive["logits"], archive["embedding"]
    for name, arrays, words in (
        ("poor.npz", {"mel": None}, "poor.npz has no mel to compare with"),
        ("other.npz", {"logits": logits[:, :10]}, "other.npz is of a model of other sizes: logits"),
        ("wide.npz", {"embedding": embedding[:, :100]}, "wide.npz does not fit it"),
    ):
        reference = changed(tmp_path / name, **arrays)
        found = command("voices", "verify", bundle, "--reference", reference, "--json")
        assert (found.returncode, found.stdout) == (2, "")
        assert words in found.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("export", "random-cosyvoice", "voice", "--size", "tiny", "--seed", "-1"),
        ("voices", "verify", "voice", "--seed", "-1"),
        ("voices", "verify", "voice", "--seed", str(2**32)),
    ],
)
def test_a_seed_that_no_generator_takes_is_a_usage_error(words: tuple[str, ...]) -> None:
    ended = command(*words)
    assert ended.returncode == 2
    assert "--seed" in ended.stderr


def test_a_bundle_against_one_of_another_model_fails(tmp_path: Path) -> None:
    for seed in ("3", "4"):
        export = ("export", "random-cosyvoice", str(tmp_path / seed), "--size", "tiny")
        made = command(*export, "--seed", seed, "--precision", "fp32")
        assert made.returncode == 0, made.stderr
    against = ("--against", str(tmp_path / "4"))
    found = command("voices", "verify", str(tmp_path / "3"), *against, "--json")
    assert found.returncode == 1, found.stderr
    assert all(row["snr_db"] < 15 for row in json.loads(found.stdout))


def test_the_command_makes_a_random_bundle_and_surveys_it(tmp_path: Path) -> None:
    for precision in ("int8", "fp32"):
        words = ("--size", "tiny", "--seed", "3", "--precision", precision)
        made = command("export", "random-cosyvoice", str(tmp_path / precision), *words)
        assert made.returncode == 0, made.stderr
    against = ("--against", str(tmp_path / "fp32"))
    found = command("voices", "verify", str(tmp_path / "int8"), *against, "--json")
    assert found.returncode == 0, found.stderr
    rows = json.loads(found.stdout)
    assert len(rows) == 10
    assert all(row["snr_db"] > 30 and row["argmax"] > 0.9 and row["kl"] < 5e-3 for row in rows)


def test_the_command_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "cosyvoice.yaml").write_text("a: 1")
    made = command("export", "cosyvoice", str(tmp_path), str(tmp_path / "out"))
    assert made.returncode == 2
    assert "llm.pt" in made.stderr
    assert "Traceback" not in made.stderr


def test_nothing_that_is_needed_at_run_time_brings_torch_or_onnx() -> None:
    code = (
        "import sys, cosyedge.engine.cosyvoice\n"
        "heavy = {'torch', 'onnx', 'transformers', 'yaml', 'tiktoken'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_yaml_of_the_fixture_is_not_plain() -> None:
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load((FIXTURE / "cosyvoice.yaml").read_text(encoding="utf-8"))
