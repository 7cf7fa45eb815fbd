"""Players that are stuck, killed, missing, busy, loud or orphaned."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from cosyedge.adapters.encoding import to_pcm
from cosyedge.adapters.player import PlayerOutput, PlayerSettings
from cosyedge.adapters.player_command import (
    KNOWN_PLAYERS,
    PlayerCommand,
    names_card_by_number,
    needs_own_rate,
    player_environment,
)
from cosyedge.adapters.player_process import PlayerProcess
from cosyedge.core.errors import OutputFailure
from tests.audio.sounds import PROGRAMME, noise, tone

# Reads at the pace of 24 kHz s16le, as a device would; its pid goes where argv says.
PACED = """
import os, sys, time
open(sys.argv[1], "w").write(str(os.getpid()))
while data := sys.stdin.buffer.raw.read(960):
    time.sleep(len(data) / 48000)
"""
SLACK_S = 0.7


def paced(tmp_path: Path) -> tuple[str, ...]:
    """A player whose pid is written down."""
    return (sys.executable, "-c", PACED, str(tmp_path / "pid"))


def listening(tmp_path: Path, gulp: int = 960) -> tuple[str, ...]:
    """A paced player that keeps what it read in the file ``heard``."""
    script = (
        PACED.replace("960", str(gulp))
        .replace("while", f"heard = open({str(tmp_path / 'heard')!r}, 'wb', buffering=0)\nwhile")
        .replace("time.sleep(", "heard.write(data); time.sleep(")
    )
    return (sys.executable, "-c", script, str(tmp_path / "pid"))


async def pid_of(tmp_path: Path) -> int:
    """The pid of the paced player, once it runs."""
    return int(await _read_when_written(tmp_path / "pid"))


@pytest.mark.parametrize(
    ("signal_sent", "code"),
    [(signal.SIGSTOP, "device_stuck"), (signal.SIGKILL, "device_lost")],
)
async def test_stopped_or_killed_player_fails_within_a_second(
    tmp_path: Path, signal_sent: signal.Signals, code: str
) -> None:
    output = PlayerOutput("speaker", PlayerSettings(argv=paced(tmp_path)))
    session = await output.open(PROGRAMME)
    writing = asyncio.create_task(session.write(tone(20.0), last=True))
    pid = await pid_of(tmp_path)
    await _until(lambda: session.playback.played_s > 0.3)
    os.kill(pid, signal_sent)
    begun = time.monotonic()
    with pytest.raises(OutputFailure) as caught:
        await writing
    assert caught.value.code == code
    assert time.monotonic() - begun < 1.0 + 0.085 + SLACK_S
    assert not psutil.pid_exists(pid)


async def test_player_that_reads_nothing_is_stuck_and_killed(tmp_path: Path) -> None:
    script = 'import os, sys, time; open(sys.argv[1], "w").write(str(os.getpid())); time.sleep(99)'
    argv = (sys.executable, "-c", script, str(tmp_path / "pid"))
    session = await PlayerOutput("speaker", PlayerSettings(argv=argv)).open(PROGRAMME)
    begun = time.monotonic()
    with pytest.raises(OutputFailure) as caught:
        await session.write(tone(1.0), last=True)
    assert caught.value.code == "device_stuck"
    assert time.monotonic() - begun < 1.0 + SLACK_S
    assert not psutil.pid_exists(await pid_of(tmp_path))


async def test_clip_shorter_than_the_pipe_does_not_hide_a_stuck_player() -> None:
    session = await PlayerOutput("speaker", PlayerSettings(argv=("sleep", "99"))).open(PROGRAMME)
    await session.write(tone(0.03), last=True)
    with pytest.raises(OutputFailure) as caught:
        await session.drain()
    assert caught.value.code == "device_stuck"


async def test_player_that_never_ends_is_stuck(tmp_path: Path) -> None:
    script = "import sys, time; sys.stdin.buffer.read(); time.sleep(99)"
    argv = (sys.executable, "-c", script)
    session = await PlayerOutput("speaker", PlayerSettings(argv=argv)).open(PROGRAMME)
    await session.write(tone(0.1), last=True)
    with pytest.raises(OutputFailure) as caught:
        await session.drain()
    assert caught.value.code == "device_stuck"
    assert not session.is_sounding


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("aplay: main:831: audio open error: Device or resource busy", "device_busy"),
        ("aplay: main:831: audio open error: No such file or directory", "device_missing"),
        ("", "device_missing"),
    ],
)
async def test_device_that_does_not_open_is_named_by_the_players_words(
    words: str, code: str
) -> None:
    argv = ("sh", "-c", f"echo '{words}' >&2; exit 1")
    output = PlayerOutput("speaker", PlayerSettings(argv=argv))
    assert await output.probe() == code
    session = await output.open(PROGRAMME)
    with pytest.raises(OutputFailure) as caught:
        await session.write(tone(1.0), last=True)
    assert caught.value.code == code
    assert words in str(caught.value)


async def test_missing_program_is_device_missing() -> None:
    output = PlayerOutput("speaker", PlayerSettings(argv=("no-such-player-here",)))
    assert await output.probe() == "device_missing"


@pytest.mark.skipif(Path("/proc/asound/cards").exists(), reason="this machine has sound cards")
async def test_missing_card_is_device_missing() -> None:
    output = PlayerOutput("speaker", PlayerSettings(device="hw:0"))
    assert await output.probe() == "device_missing"
    with pytest.raises(OutputFailure) as caught:
        await output.open(PROGRAMME)
    assert caught.value.code == "device_missing"


async def test_end_with_an_error_after_the_last_sample_is_a_failure() -> None:
    argv = ("sh", "-c", "cat > /dev/null; echo 'write error' >&2; exit 1")
    session = await PlayerOutput("speaker", PlayerSettings(argv=argv)).open(PROGRAMME)
    await session.write(tone(0.2), last=True)
    with pytest.raises(OutputFailure) as caught:
        await session.drain()
    assert caught.value.code == "device_lost"


async def test_player_that_complains_without_end_is_not_held_up() -> None:
    script = (
        "import sys\n"
        "while sys.stdin.buffer.raw.read(960):\n"
        "    try: sys.stderr.write('underrun!!!' * 4096); sys.stderr.flush()\n"
        "    except BlockingIOError: pass\n"
    )
    argv = (sys.executable, "-c", script)
    session = await PlayerOutput("speaker", PlayerSettings(argv=argv)).open(PROGRAMME)
    await session.write(tone(2.0), last=True)
    await session.drain()
    assert session.playback.played_s == pytest.approx(2.0)


async def test_what_a_player_says_reaches_the_log_in_one_harmless_line() -> None:
    argv = ("sh", "-c", "printf 'first\\n\\033[31mred\\007 '; exit 1")
    process = await PlayerProcess.start(("sh", "-c", f"{argv[2]}".replace("'; ", "' >&2; ")), 4096)
    failure = await process.failure()
    assert "?[31mred?" in str(failure)
    assert "\033" not in str(failure)


async def test_stop_ends_a_stuck_player_and_never_raises(tmp_path: Path) -> None:
    output = PlayerOutput("speaker", PlayerSettings(argv=paced(tmp_path)))
    session = await output.open(PROGRAMME)
    writing = asyncio.create_task(session.write(tone(20.0), last=True))
    pid = await pid_of(tmp_path)
    await _until(lambda: session.playback.played_s > 0.2)
    os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    await session.stop(0.15)
    assert time.monotonic() - begun < 1.0 + SLACK_S
    assert not psutil.pid_exists(pid)
    await writing


@pytest.mark.parametrize("gulp", [960, 961])
async def test_stop_after_a_cancelled_write_still_fades(tmp_path: Path, gulp: int) -> None:
    """Also with a player that stops reading in the middle of a sample."""
    output = PlayerOutput("speaker", PlayerSettings(argv=listening(tmp_path, gulp)))
    session = await output.open(PROGRAMME)
    writing = asyncio.create_task(session.write(tone(20.0), last=True))
    await _until(lambda: session.playback.played_s > 0.3)
    writing.cancel()
    await asyncio.wait({writing})
    await session.stop(0.15)
    data = (tmp_path / "heard").read_bytes()
    assert len(data) % 2 == 0
    samples = memoryview(data).cast("h")
    assert max(map(abs, samples[-240:])) < 1000 < max(map(abs, samples[-4800:-3600]))


async def test_pause_loses_no_sample(tmp_path: Path) -> None:
    output = PlayerOutput("speaker", PlayerSettings(argv=listening(tmp_path)))
    session = await output.open(PROGRAMME)
    speech = noise(1.5)
    writing = asyncio.create_task(session.write(speech, last=True))
    await _until(lambda: session.playback.played_s > 0.3)
    await session.hold(True)
    done, _ = await asyncio.wait({writing}, timeout=0.3)
    assert not done
    await session.hold(False)
    await writing
    await session.drain()
    heard = np.frombuffer((tmp_path / "heard").read_bytes(), dtype="<i2")
    expected = to_pcm(speech.samples)
    # What faded away, 20 ms, comes again, faded in: all else stands there once, in its order.
    assert len(heard) == len(expected) + 480
    cut = int(np.flatnonzero(heard[: len(expected)] != expected)[0])
    assert cut >= 0.2 * 24_000
    assert np.array_equal(heard[cut - 10 + 1000 :], expected[cut - 10 + 520 :])
    assert session.playback.played_s == pytest.approx(1.52, abs=0.001)


async def test_stop_before_the_first_part_and_twice_does_nothing() -> None:
    session = await PlayerOutput("speaker", PlayerSettings(argv=("cat",))).open(PROGRAMME)
    await session.stop(0.15)
    await session.stop(0.15)
    await session.drain()


async def test_kill_of_a_player_reaches_what_it_started(tmp_path: Path) -> None:
    argv = ("sh", "-c", f"sleep 99 & echo $! > {tmp_path}/pid; cat > /dev/null; wait")
    session = await PlayerOutput("speaker", PlayerSettings(argv=argv)).open(PROGRAMME)
    await session.write(tone(0.1), last=False)
    grandchild = await pid_of(tmp_path)
    await session.stop(0.0)
    await _until(lambda: not _runs(grandchild))


async def test_player_ends_when_the_daemon_is_killed(tmp_path: Path) -> None:
    """One that does not read its input: the end of file would not reach it."""
    script = (
        "import asyncio, sys\n"
        "from cosyedge.adapters.player_process import PlayerProcess\n"
        "async def main():\n"
        "    argv = ['sh', '-c', f'echo $$ > {sys.argv[1]}; exec sleep 99']\n"
        "    await PlayerProcess.start(argv, 4096)\n"
        "    await asyncio.sleep(99)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    daemon = subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "pid")], cwd=root)
    try:
        player = await pid_of(tmp_path)
        assert _runs(player)
    finally:
        daemon.kill()
        daemon.wait(10)
    await _until(lambda: not _runs(player))


def test_environment_of_a_player_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSYEDGE_MQTT__PASSWORD", "hush")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials")
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/notify")
    monkeypatch.setenv("PULSE_SERVER", "unix:/run/pulse")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    environment = player_environment()
    assert not {"COSYEDGE_MQTT__PASSWORD", "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET"} & set(
        environment
    )
    assert environment["PULSE_SERVER"] == "unix:/run/pulse"
    assert environment["LANG"] == "C"
    assert "LC_ALL" not in environment


def test_known_players_get_device_and_buffer_only_where_set() -> None:
    named = PlayerCommand(KNOWN_PLAYERS["aplay"], "plughw:CARD=Headphones", 100).at_rate(24_000)
    assert "--device=plughw:CARD=Headphones" in named
    assert "--buffer-time=100000" in named
    assert named[named.index("-r") + 1] == "24000"
    default = PlayerCommand(KNOWN_PLAYERS["aplay"]).at_rate(24_000)
    assert not any("device" in argument for argument in default)


def test_cards_by_number_and_raw_cards_are_told_apart() -> None:
    assert names_card_by_number("hw:0")
    assert names_card_by_number("plughw:1,0")
    assert not names_card_by_number("plughw:CARD=Headphones")
    assert not names_card_by_number(None)
    assert needs_own_rate("hw:CARD=Device")
    assert not needs_own_rate("plughw:CARD=Device")


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def _read_when_written(path: Path) -> str:
    await _until(lambda: path.exists() and path.read_text().strip() != "")
    return path.read_text()


async def _until(condition: object) -> None:
    async with asyncio.timeout(20):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.01)
