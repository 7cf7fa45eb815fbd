"""Requests in, speech out: bounded, repeatable, alone or together."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cosyedge.core.errors import Cancelled, EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.engine.contract import Cancellation, Stages
from cosyedge.engine.cosyvoice.engine import CosyVoice
from cosyedge.export.random_model import SIZES
from tests.cosyvoice.bundles import export_endless, export_fixture, export_random, loaded

LONG = "今天下雨，请带伞，路上小心，注意安全，谢谢大家的配合，我们明天再见。"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_random(tmp_path_factory.mktemp("bundle"), "fp32")


@pytest.fixture(scope="module")
def voice(folder: Path) -> CosyVoice:
    engine = loaded(folder)
    engine.warm_up()
    return engine


def ask(text: str, lang: str = "zh", **options: object) -> SpeechRequest:
    return SpeechRequest(text, lang, "cosyvoice", **options)  # type: ignore[arg-type]


def spoken(voice: CosyVoice, *requests: SpeechRequest) -> list[Speech]:
    made = dict(voice.synthesize(requests, Cancellation()))
    assert set(made) == set(range(len(requests)))
    return [made[index] for index in range(len(requests))]


def test_it_speaks_at_its_rate_within_the_limits(voice: CosyVoice) -> None:
    (speech,) = spoken(voice, ask("前门已打开。"))
    assert speech.rate_hz == voice.voice.rate_hz
    assert speech.samples.dtype == np.float32
    assert 0.1 < speech.duration_s < 20
    assert np.max(np.abs(speech.samples)) <= 1
    assert speech.samples[0] == speech.samples[-1] == 0


def test_equal_requests_sound_equal_and_others_do_not(voice: CosyVoice) -> None:
    texts = [ask("前门已打开。"), ask("前门已打开。"), ask("后门已打开。")]
    texts += [ask("前门已打开。", speaker="中文男"), ask("前门已打开。", quality={"seed": 1})]
    first, again, *others = spoken(voice, *texts)
    np.testing.assert_array_equal(first.samples, again.samples)
    for other in others:
        assert not np.array_equal(first.samples, other.samples)


@pytest.mark.parametrize("stages", ["resident", "staged"])
def test_requests_together_sound_as_they_do_alone(
    voice: CosyVoice, folder: Path, stages: Stages
) -> None:
    requests = [ask("前门已打开。"), ask(LONG), ask("The door is open.", "en"), ask("再见。")]
    together = spoken(loaded(folder, stages), *requests)
    for request, speech in zip(requests, together, strict=True):
        (alone,) = spoken(voice, request)
        np.testing.assert_allclose(speech.samples, alone.samples, atol=1e-3)


def test_each_request_comes_as_soon_as_it_is_made(voice: CosyVoice) -> None:
    requests = [ask(f"第{number}扇门。") for number in "一二三四五六"]
    stream = voice.synthesize(requests, Cancellation())
    assert next(stream)[0] == 0
    assert [index for index, _ in stream] == [1, 2, 3, 4, 5]


def test_no_request_is_no_speech(voice: CosyVoice) -> None:
    assert spoken(voice) == []


def test_speed_shortens_the_speech(voice: CosyVoice) -> None:
    normal, fast, slow = spoken(
        voice, *(ask("前门已打开。", speed=speed) for speed in (1.0, 1.6, 0.8))
    )
    assert fast.duration_s == pytest.approx(normal.duration_s / 1.6, rel=0.05)
    assert slow.duration_s == pytest.approx(normal.duration_s / 0.8, rel=0.05)


@pytest.mark.parametrize("text", ["<|zh|><|endoftext|>", "a", "啊", "1", "🔔 ding"])
def test_odd_texts_are_spoken(voice: CosyVoice, text: str) -> None:
    (speech,) = spoken(voice, ask(text))
    assert np.isfinite(speech.samples).all()


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (ask("。。。"), "read nothing"),
        (ask("好。", speed=3.0), "speaks at"),
        (ask("好。", speaker="nobody"), "no speaker"),
        (ask("好。", quality={"tier": "best"}), "no tier"),
        (ask("好。", quality={"steps": 0}), "steps must be"),
        (ask("好。", quality={"temperature": "hot"}), "temperature must be"),
    ],
)
def test_what_cannot_be_asked_is_named(
    voice: CosyVoice, request_: SpeechRequest, words: str
) -> None:
    with pytest.raises(EngineFailure, match=words) as raised:
        spoken(voice, request_)
    assert raised.value.code == "engine_error"


@pytest.mark.parametrize("tier", ["draft", "standard", "fine"])
def test_every_tier_speaks(voice: CosyVoice, tier: str) -> None:
    (speech,) = spoken(voice, ask("前门已打开。", quality={"tier": tier}))
    assert speech.duration_s > 0.1


def test_options_of_the_configuration_stand_where_a_request_says_nothing(
    voice: CosyVoice, folder: Path
) -> None:
    other = loaded(folder, options={"seed": 4})
    asked = ask("前门已打开。", quality={"seed": 4})
    (wanted,) = spoken(voice, asked)
    (plain,) = spoken(other, ask("前门已打开。"))
    (own,) = spoken(other, ask("前门已打开。", quality={"seed": 0}))
    np.testing.assert_array_equal(plain.samples, wanted.samples)
    assert not np.array_equal(own.samples, wanted.samples)


def test_an_option_that_cannot_be_used_is_named_at_the_load(folder: Path) -> None:
    with pytest.raises(EngineFailure, match="steps must be"):
        loaded(folder, options={"steps": "many"})


def test_a_cancelled_call_ends_and_the_next_one_works(voice: CosyVoice) -> None:
    cancel = Cancellation()
    stream = voice.synthesize([ask("前门已打开。")] * 8, cancel)
    next(stream)
    cancel.request()
    with pytest.raises(Cancelled):
        list(stream)
    assert spoken(voice, ask("前门已打开。"))


def test_implausible_speech_is_tried_once_more_and_then_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    voice = loaded(export_endless(tmp_path))
    with caplog.at_level("WARNING", "cosyedge.engine"), pytest.raises(EngineFailure) as raised:
        spoken(voice, ask("今天下午三点，请到一楼大厅集合。"))
    assert raised.value.code == "bad_audio"
    assert [record.message for record in caplog.records if "another seed" in record.message]
    assert "大厅" not in caplog.text


def test_a_bundle_without_a_vocabulary_does_not_speak(tmp_path: Path) -> None:
    with pytest.raises(EngineFailure, match="--vocab"):
        loaded(export_fixture(tmp_path, "fp32"))


def test_a_vocabulary_larger_than_the_model_is_refused_by_name(tmp_path: Path) -> None:
    small = replace(SIZES["tiny"], text_tokens=200)
    with pytest.raises(EngineFailure, match="text vocabulary of 200 entries is too small"):
        loaded(export_random(tmp_path, "fp32", small))


@pytest.mark.parametrize("name", ["estimator.bin", "vocabulary.tiktoken", "language_model.onnx"])
def test_a_changed_file_is_not_loaded(folder: Path, tmp_path: Path, name: str) -> None:
    copy = _copied(folder, tmp_path / "copy")
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(EngineFailure, match=name):
        loaded(copy)


def test_a_file_that_changes_behind_a_staged_voice_is_not_loaded(
    folder: Path, tmp_path: Path
) -> None:
    copy = _copied(folder, tmp_path / "copy")
    voice = loaded(copy, "staged")
    spoken(voice, ask("好。"))
    (copy / "estimator.onnx").write_bytes(b"")
    with pytest.raises(EngineFailure, match=r"estimator\.onnx has changed"):
        spoken(voice, ask("好。"))


def test_a_missing_file_is_named(folder: Path, tmp_path: Path) -> None:
    copy = _copied(folder, tmp_path / "copy")
    (copy / "f0.onnx").unlink()
    with pytest.raises(EngineFailure, match=r"f0\.onnx") as raised:
        loaded(copy)
    assert raised.value.code == "model_missing"


def _copied(folder: Path, into: Path) -> Path:
    into.mkdir()
    for path in folder.iterdir():
        (into / path.name).write_bytes(path.read_bytes())
    return into
