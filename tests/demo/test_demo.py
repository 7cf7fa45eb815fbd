"""The demonstration, on both of its brokers, and its judgement of what is speech."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cosyedge.adapters.encoding import decode
from cosyedge.core.errors import SettingsError
from cosyedge.core.speech import Speech
from cosyedge.demo.brokers import running_broker
from cosyedge.demo.speech_check import speech_fault

TEXT = "The front door opened."
RATE_HZ = 24000


@pytest.mark.parametrize("broker", ["mosquitto", "iotcore"])
def test_demonstration_hears_speech_uncached_and_cached(broker: str, tmp_path: Path) -> None:
    output = tmp_path / "demo.wav"
    words = ["-m", "cosyedge.demo", TEXT, "--output", str(output), "--broker", broker]
    ended = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=100, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert speech_fault(decode(output), TEXT) is None
    lines = {line.split()[0]: line for line in ended.stdout.splitlines() if line.strip()}
    assert lines["broker"].split()[1] == broker
    assert lines["uncached"].count("ms") == lines["cached"].count("ms") == 3
    assert lines["cached"].rstrip().endswith("finished")


def test_text_that_is_refused_fails_the_demonstration(tmp_path: Path) -> None:
    output = tmp_path / "demo.wav"
    ended = subprocess.run(
        [sys.executable, "-m", "cosyedge.demo", "...", "--output", str(output)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 1
    assert "nothing_speakable" in ended.stderr
    assert not output.exists()


def test_broker_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "iotcore", None)
    with (
        pytest.raises(SettingsError, match="sudo apt install mosquitto"),
        running_broker(tmp_path, "iotcore"),
    ):
        pass


@pytest.mark.parametrize(
    ("samples", "fault"),
    [
        (np.zeros(0), "empty"),
        (np.zeros(2 * RATE_HZ), "silent"),
        (np.full(2 * RATE_HZ, np.nan), "not_finite"),
        (0.2 * np.sin(np.arange(2 * RATE_HZ) / 10), "even noise"),
        (0.2 * np.random.default_rng(0).standard_normal(2 * RATE_HZ), "even noise"),
        (np.r_[np.full(2000, 0.5), np.zeros(2 * RATE_HZ)], "silent"),
        (0.2 * np.sin(np.arange(2000) / 10), "too short"),
    ],
)
def test_what_is_no_speech_is_told(samples: np.ndarray, fault: str) -> None:
    told = speech_fault(Speech(samples.astype(np.float32), RATE_HZ), TEXT)
    assert told is not None
    assert fault in told
