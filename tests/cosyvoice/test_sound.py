"""From tokens to samples: lengths, chunks, integration, spectra."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.errors import Cancelled
from cosyedge.engine.contract import Cancellation
from cosyedge.engine.cosyvoice.flow import (
    Integration,
    at_speed,
    stretched,
    time_grid,
    velocity,
)
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.quality import TIERS, Asked, read_quality
from cosyedge.engine.cosyvoice.vocoder import SourceNoise, inverse, speak, spectra, waveform
from cosyedge.engine.cosyvoice.watch import Watch, unwatched
from tests.cosyvoice.bundles import export_random, opened


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return opened(export_random(tmp_path_factory.mktemp("bundle"), "fp32"))


@pytest.mark.parametrize(("tokens", "frames"), [(1, 1), (50, 86), (70, 120), (277, 477)])
def test_tokens_become_frames_by_the_official_formula(
    model: Model, tokens: int, frames: int
) -> None:
    assert model.plan.mel_frames(tokens) == frames


@pytest.mark.parametrize("tokens", [1, 3, 40, 41, 90])
def test_rows_are_stretched_to_the_asked_length(model: Model, tokens: int) -> None:
    rows = np.repeat(np.arange(tokens, dtype=np.float32)[:, None], 80, axis=1)
    frames = model.plan.mel_frames(tokens)
    made = stretched(model.plan.flow, rows, frames)
    assert made.shape == (1, 80, frames)
    assert np.all(np.diff(made[0, 0]) >= 0)


def test_interpolation_is_that_of_half_samples() -> None:
    mel = np.array([[[0.0, 10.0, 20.0, 30.0]]], np.float32)
    np.testing.assert_allclose(at_speed(mel, 2.0)[0, 0], [5.0, 25.0])
    np.testing.assert_allclose(at_speed(mel, 0.5)[0, 0], [0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30])
    assert at_speed(mel, 1.0) is mel


def noise_like(model: Model, tokens: int, seed: int) -> np.ndarray:
    frames = model.plan.mel_frames(tokens)
    return np.random.default_rng(seed).standard_normal((1, 80, frames), dtype=np.float32)


@pytest.mark.parametrize("frames", [1, 5, 63, 64, 65, 200])
def test_the_vocoder_in_chunks_equals_one_run(model: Model, frames: int) -> None:
    random = np.random.default_rng(frames)
    mel = random.standard_normal((1, 80, frames), dtype=np.float32)
    source = random.standard_normal(frames * 256, dtype=np.float32)
    session = model.stages.session("vocoder")
    whole = speak(session, model.plan, mel, source, unwatched(), chunk_frames=1000)
    chunked = speak(session, model.plan, mel, source, unwatched(), chunk_frames=32)
    assert len(whole) == frames * 256
    np.testing.assert_allclose(chunked, whole, atol=2e-5)


@given(count=st.integers(1, 60), seed=st.integers(0, 5), hop=st.sampled_from([2, 4, 5, 8]))
def test_spectra_give_their_signal_back(count: int, seed: int, hop: int) -> None:
    size = count * hop + 12
    signal = np.random.default_rng(seed).uniform(-1, 1, size).astype(np.float32)
    found = spectra(signal, 16, hop)
    assert found.shape == (18, size // hop + 1)
    back = inverse((found[:9] + 1j * found[9:]).T, 16, hop)
    np.testing.assert_allclose(back, signal[: len(back)], atol=1e-5)
    assert len(back) == size // hop * hop


def test_log_magnitude_and_phase_become_one_sine() -> None:
    lines = np.full((18, 65), -20, np.float32)
    lines[2], lines[11] = 0, np.pi / 2
    made = waveform(lines, 16, 4)
    assert made.shape == (256,)
    strongest = np.argmax(np.abs(np.fft.rfft(made)))
    assert np.isfinite(made).all()
    assert strongest > 0


def test_all_measured_steps_and_few_differ_little(model: Model) -> None:
    tokens = list(np.random.default_rng(1).integers(0, 128, 60))
    condition = model.condition(tokens, model.assets.embedding("中文女"), unwatched())
    noise = noise_like(model, 60, 2)
    whole = model.mel(condition, noise, Integration(), unwatched())
    few = model.mel(condition, noise, Integration.even(10, 4), unwatched())
    error = np.mean((whole - few) ** 2) / np.mean(whole**2)
    assert 0 < error < 1e-2


def test_a_held_velocity_is_one_longer_step(model: Model) -> None:
    """Steps 0 and 5 of ten are Euler's two steps from 0 to t5 and from t5 to 1."""
    condition = model.condition([1, 2, 3], model.assets.embedding("中文女"), unwatched())
    noise = noise_like(model, 3, 1)
    estimator = model.stages.session("estimator")
    middle = time_grid(model.plan.flow, 10)[5]
    wanted = noise
    for time, step in ((np.float32(0), middle), (middle, 1 - middle)):
        with_it, without = velocity(estimator, wanted, time, condition, unwatched())
        wanted = wanted + step * (with_it + model.plan.flow.guidance * (with_it - without))
    held = model.mel(condition, noise, Integration(10, (0, 5), (0, 5)), unwatched())
    np.testing.assert_allclose(held, wanted, atol=1e-5)


@pytest.mark.parametrize(("steps", "guided"), [(10, 10), (10, 4), (5, 2), (1, 1), (7, 3), (10, 9)])
def test_guidance_is_measured_at_the_first_step_and_as_often_as_asked(
    steps: int, guided: int
) -> None:
    chosen = Integration.even(steps, guided)
    assert chosen.guided[0] == 0
    assert len(set(chosen.guided)) == guided
    assert set(chosen.guided) <= set(chosen.evaluated) == set(range(steps))


@pytest.mark.parametrize("tier", TIERS.values(), ids=TIERS)
def test_a_tier_measures_guidance_only_where_the_estimator_runs(tier: Integration) -> None:
    assert tier.evaluated[0] == tier.guided[0] == 0
    assert set(tier.guided) <= set(tier.evaluated) <= set(range(tier.grid))


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, TIERS["standard"]),
        ({"tier": "draft"}, TIERS["draft"]),
        ({"steps": 8}, Integration.even(8, 5)),
        ({"tier": "fine", "guided": 2}, Integration.even(10, 2)),
        ({"steps": 3, "guided": 9}, Integration.even(3, 3)),
    ],
)
def test_steps_that_are_asked_for_replace_the_tiers(asked: Asked, wanted: Integration) -> None:
    assert read_quality(asked).integration == wanted


def test_a_cancel_is_seen_at_the_next_step_and_chunk(model: Model) -> None:
    cancel = Cancellation()
    cancel.request()
    condition = model.condition([1, 2, 3], model.assets.embedding("中文女"), unwatched())
    watch = Watch(Cancellation(), cancel.check)
    with pytest.raises(Cancelled):
        model.mel(condition, noise_like(model, 3, 1), Integration(), watch)
    with pytest.raises(Cancelled):
        model.samples(noise_like(model, 3, 1), np.zeros(5 * 256, np.float32), watch)


def test_the_source_hums_at_f0_where_it_is_voiced(model: Model) -> None:
    f0 = np.concatenate([np.full(80, 200.0), np.zeros(80)]).astype(np.float32)
    silent = SourceNoise(np.zeros(9, np.float32), np.zeros((9, 160 * 256), np.float32))
    source = model.source(f0, silent)
    voiced, quiet = source[: 80 * 256], source[80 * 256 :]
    peak = np.argmax(np.abs(np.fft.rfft(voiced - voiced.mean()))) * 22050 / len(voiced)
    assert peak % 200 == pytest.approx(0, abs=2) or peak % 200 == pytest.approx(200, abs=2)
    np.testing.assert_allclose(quiet, quiet[0])


def test_a_bundle_is_noise_only_by_its_seed(tmp_path: Path) -> None:
    first, second, other = (
        export_random(tmp_path / name, "fp32", seed=seed)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    content = [(folder / "vocoder.bin").read_bytes() for folder in (first, second, other)]
    assert content[0] == content[1] != content[2]
