"""A sound server of the test's own: a null sink paced in real time, and its monitor."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 24_000
MISSING = [name for name in ("pulseaudio", "parec", "pactl", "aplay") if not shutil.which(name)]


class PulseServer:
    """PulseAudio as an unprivileged process in a folder of its own."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pulse-"))
        self.environment = {
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder),
            "PULSE_SERVER": f"unix:{self.folder}/native",
        }
        self._log = (self.folder / "log").open("wb")
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        argv = [
            *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"),
            *("--disable-shm=yes", "-L", "module-native-protocol-unix auth-anonymous=1 "),
        ]
        argv[-1] += f"socket={self.folder}/native"
        sink = f"sink_name=speaker rate={RATE_HZ} channels=1 format=s16le"
        argv += ["-L", f"module-null-sink {sink}"]
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody", "nogroup")
            argv = [
                *("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"),
                *argv,
            ]
        self._server = subprocess.Popen(
            argv,
            env={**os.environ, **self.environment},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + 20
        while "speaker" not in self.control("list", "short", "sinks"):
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text(errors="replace"))
            time.sleep(0.05)

    def control(self, *words: str) -> str:
        """Run pactl; its output, empty where the server is not there."""
        result = subprocess.run(
            ["pactl", *words],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return result.stdout

    def unplug(self) -> None:
        """Take the device away."""
        self.control("unload-module", "module-null-sink")

    def stop(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGTERM)
            self._server.wait(10)
        self._log.close()
        shutil.rmtree(self.folder)


class Recorder:
    """Hears what the device plays, from the moment ``__enter__`` returns."""

    def __init__(self, server: PulseServer) -> None:
        self._heard = bytearray()
        self._process = subprocess.Popen(
            [
                *("parec", "-d", "speaker.monitor", "--raw", "--format=s16le", "--channels=1"),
                *(f"--rate={RATE_HZ}", "--latency-msec=20"),
            ],
            env={**os.environ, **server.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._reader = threading.Thread(target=self._listen)

    def __enter__(self) -> "Recorder":
        self._reader.start()
        self.wait_until(lambda: len(self._heard) > 0)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)
        self._reader.join(10)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def wait_until(self, condition: object) -> None:
        deadline = time.monotonic() + 20
        while not condition():  # type: ignore[operator]
            assert time.monotonic() < deadline, "nothing was heard"
            time.sleep(0.02)

    def heard(self) -> NDArray[np.int16]:
        """All samples so far."""
        return np.frombuffer(bytes(self._heard[: len(self._heard) // 2 * 2]), dtype="<i2")

    def sounding(self) -> NDArray[np.int16]:
        """What was heard from the first to the last sample that is not 0."""
        samples = self.heard()
        places = np.flatnonzero(samples)
        return samples[places[0] : places[-1] + 1] if len(places) else samples[:0]

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while data := self._process.stdout.read1(65536):
            self._heard += data
