"""The graphs compute what the official modules compute, at their fixture's sizes and at others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cosyedge.engine.cosyvoice.flow import Condition, Integration, velocity
from cosyedge.engine.cosyvoice.language_model import Cache
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.vocoder import spectra
from cosyedge.engine.cosyvoice.watch import unwatched
from cosyedge.export.comparison import max_abs_error, mean_kl, same_argmax, snr_db
from cosyedge.export.random_model import RATES, SIZES, random_source
from cosyedge.export.reference import read_reference, run_reference
from cosyedge.export.vocoder import plain_weight
from tests.cosyvoice import plain
from tests.cosyvoice.bundles import FIXTURE, export_fixture, export_random, opened

TOLERANCES = {
    "text_affine": 1e-5,
    "prefill_input": 1e-5,
    "kv_prefill_first": 1e-5,
    "kv_prefill_last": 1e-5,
    "logits": 1e-4,
    "flow_proj": 1e-5,
    "mu": 1e-4,
    "spks": 1e-6,
    "est_first_out": 1e-4,
    "mel": 1e-4,
    "f0": 1e-3,
    "source": 1e-5,
    "wav": 1e-3,
}
# 160 channels: a layer inside the U-Net is then as wide as its input, four mels.
ODD = replace(
    SIZES["tiny"],
    text_tokens=300,
    speech_tokens=90,
    text=24,
    language=48,
    language_inner=80,
    head_width=12,
    text_layers=1,
    language_layers=3,
    flow=40,
    flow_inner=56,
    flow_head_width=8,
    flow_layers=1,
    channels=160,
    estimator_heads=3,
    estimator_head_width=8,
    blocks=2,
    mid_blocks=1,
    vocoder=24,
    f0=20,
)


def test_fp32_is_within_the_official_modules_tolerances(tmp_path: Path) -> None:
    reference = read_reference(FIXTURE / "reference.npz")
    made = dict(run_reference(opened(export_fixture(tmp_path, "fp32")), reference, 5))
    errors = {name: max_abs_error(made[name], reference[name]) for name in TOLERANCES}
    assert {n: e for n, e in errors.items() if e > TOLERANCES[n]} == {}


def test_int8_stays_close_to_the_official_modules(tmp_path: Path) -> None:
    reference = read_reference(FIXTURE / "reference.npz")
    made = dict(run_reference(opened(export_fixture(tmp_path, "int8")), reference, 5))
    assert snr_db(made["mel"], reference["mel"]) >= 30
    assert mean_kl(made["logits"], reference["logits"]) <= 5e-3
    assert same_argmax(made["logits"], reference["logits"]) >= 0.9


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """An fp32 bundle none of whose sizes is official."""
    return opened(export_random(tmp_path_factory.mktemp("odd"), "fp32", ODD, seed=7))


SOURCE = random_source(ODD, 7)


def test_text_encoder_at_other_sizes(odd: Model) -> None:
    ids = [3, 250, 17, 17, 99, 4, 201]
    embedding = odd.assets.embedding("中文女")
    rows = SOURCE.llm["text_embedding.weight"][ids]
    norms = ("norm_mha", "norm_ff")
    hidden = plain.encoder(rows, SOURCE.llm, "text_encoder", norms, "swish", causal=True)
    wanted = plain.linear(hidden, SOURCE.llm, "text_encoder_affine_layer")
    prefix = odd.prefix(ids, embedding, unwatched())
    np.testing.assert_allclose(prefix[2:-1], wanted, atol=2e-5)
    unit = embedding / np.linalg.norm(embedding)
    speaker = plain.linear(unit, SOURCE.llm, "spk_embed_affine_layer")
    np.testing.assert_allclose(prefix[1], speaker, atol=1e-5)
    np.testing.assert_array_equal(prefix[[0, -1]], SOURCE.llm["llm_embedding.weight"])


def test_language_model_steps_equal_one_long_run(odd: Model) -> None:
    random = np.random.default_rng(1)
    rows = random.standard_normal((14, ODD.language)).astype(np.float32)
    hidden = plain.encoder(rows, SOURCE.llm, "llm", ("norm1", "norm2"), "relu", causal=True)
    wanted = plain.linear(hidden, SOURCE.llm, "llm_decoder")
    cache = Cache(odd.stages.session("language_model"), odd.plan.language, 1, 14)
    made = [cache.advance(rows[None, :6])[0].copy()]
    made += [cache.advance(rows[None, index : index + 1])[0].copy() for index in range(6, 13)]
    np.testing.assert_allclose(made, wanted[5:13], atol=5e-5)


def test_flow_encoder_and_regulator_at_other_sizes(odd: Model) -> None:
    tokens = [5, 80, 33, 33, 1, 89, 40, 2, 61]
    rows = SOURCE.flow["input_embedding.weight"][tokens]
    norms = ("norm_mha", "norm_ff")
    hidden = plain.encoder(rows, SOURCE.flow, "encoder", norms, "swish", causal=False)
    wanted = plain.linear(hidden, SOURCE.flow, "encoder_proj")
    np.testing.assert_allclose(odd.projected(tokens, unwatched()), wanted, atol=2e-5)
    stretched = np.random.default_rng(2).standard_normal((80, 13)).astype(np.float32)
    made = odd.stages.session("regulator").run({"stretched": stretched[None]})[0][0]
    np.testing.assert_allclose(made, plain.regulator(stretched, SOURCE.flow), atol=1e-4)


@pytest.mark.parametrize("frames", [12, 13])
def test_estimator_at_other_sizes(odd: Model, frames: int) -> None:
    random = np.random.default_rng(3)
    x, mu = random.standard_normal((2, 1, 80, frames)).astype(np.float32)
    speaker = random.standard_normal((1, 80)).astype(np.float32)
    estimator = plain.Estimator(SOURCE.flow, ODD.estimator_heads)
    session = odd.stages.session("estimator")
    made = velocity(session, x, np.float32(0.3), Condition(mu, speaker), unwatched())
    np.testing.assert_allclose(made[0], estimator(x[0], mu[0], speaker[0], 0.3), atol=1e-4)
    nothing = np.zeros_like(x[0])
    np.testing.assert_allclose(made[1], estimator(x[0], nothing, nothing[:, 0], 0.3), atol=1e-4)


def test_vocoder_at_other_sizes(odd: Model) -> None:
    random = np.random.default_rng(4)
    mel = random.standard_normal((80, 9)).astype(np.float32)
    found = odd.f0(mel[None], unwatched())
    np.testing.assert_allclose(found, plain.f0(mel, SOURCE.hift), atol=1e-4)
    lines = spectra(random.standard_normal(9 * 256).astype(np.float32), 16, 4)
    feeds = {"mel": mel[None], "source": lines[None]}
    made = odd.stages.session("vocoder").run(feeds)[0][0]
    wanted = plain.vocoder(mel, lines, SOURCE.hift, RATES, 3)
    np.testing.assert_allclose(made, wanted, atol=1e-3)


def test_int8_follows_fp32_at_other_sizes(odd: Model, tmp_path: Path) -> None:
    small = opened(export_random(tmp_path, "int8", ODD, seed=7))
    embedding = odd.assets.embedding("英文女")
    tokens = np.random.default_rng(5).integers(0, ODD.speech_tokens, 50).tolist()
    noise = np.random.default_rng(6).standard_normal((1, 80, 86), dtype=np.float32)
    mels, logits = [], []
    for model in (small, odd):
        condition = model.condition(tokens, embedding, unwatched())
        mels.append(model.mel(condition, noise, Integration(), unwatched()))
        prefix = model.prefix([7, 8, 250, 9], embedding, unwatched())
        cache = Cache(model.stages.session("language_model"), model.plan.language, 1, 64)
        logits.append(cache.advance(prefix[None]).copy())
    assert snr_db(*mels) > 25
    assert snr_db(*logits) > 25


def test_both_styles_of_weight_norm_are_folded() -> None:
    random = np.random.default_rng(1)
    g, v = random.random((4, 1, 1), np.float32), random.standard_normal((4, 3, 5), np.float32)
    wanted = g * v / np.sqrt((v**2).sum((1, 2), keepdims=True))
    new = {"x.parametrizations.weight.original0": g, "x.parametrizations.weight.original1": v}
    for tensors in (new, {"x.weight_g": g, "x.weight_v": v}, {"x.weight": wanted}):
        np.testing.assert_allclose(plain_weight(tensors, "x"), wanted, rtol=1e-6)
