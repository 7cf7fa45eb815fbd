"""The command line's manners: quick help, one-line errors, exit statuses, no tracebacks."""

import subprocess
import sys
from pathlib import Path

import pytest

from cosyedge.cli.app import VERBS
from tests.cli.conftest import Command, only_line

USAGE = 2


def test_help_lists_every_verb_and_loads_none(cosyedge: Command) -> None:
    ended = cosyedge("--help")
    assert ended.returncode == 0
    for verb, (_, summary) in VERBS.items():
        assert f"{verb} " in ended.stdout
        assert summary[:40] in ended.stdout


def test_no_words_print_the_help(cosyedge: Command) -> None:
    assert cosyedge().stdout == cosyedge("--help").stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb: str, cosyedge: Command) -> None:
    ended = cosyedge(verb, "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"Usage: cosyedge {verb}")


def test_version_is_printed(cosyedge: Command) -> None:
    assert cosyedge("--version").stdout.startswith("cosyedge 0.")


def test_unknown_verb_and_option_are_usage_errors(cosyedge: Command) -> None:
    assert "No such command 'sing'" in only_line(cosyedge("sing"), USAGE)
    assert "--sing" in only_line(cosyedge("say", "hello", "--sing"), USAGE)
    assert "--sing" in only_line(cosyedge("run", "--sing"), USAGE)
    assert "'again'" in only_line(cosyedge("run", "--config", "a", "again"), USAGE)


def test_export_without_a_kind_is_a_usage_error(cosyedge: Command) -> None:
    assert "cosyedge export --help" in only_line(cosyedge("export"), 2)
    assert "Commands" in cosyedge("export", "--help").stdout


@pytest.mark.parametrize("verb", ["run", "voices", "doctor"])
def test_missing_configuration_is_one_line(verb: str, tmp_path: Path, cosyedge: Command) -> None:
    missing = tmp_path / "gone.toml"
    line = only_line(cosyedge(verb, "--config", str(missing)), USAGE)
    assert line == f"{missing}: there is no such file"


def test_unknown_setting_in_the_environment_is_one_line(cosyedge: Command) -> None:
    line = only_line(cosyedge("run", COSYEDGE_MQTT__HOTS="x"), USAGE)
    assert "did you mean COSYEDGE_MQTT__HOST?" in line


def test_reader_that_leaves_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "cosyedge", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_daemon_is_dispatched_before_the_command_line_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from cosyedge.__main__ import main\n"
        f"main(['run', '--config', {str(tmp_path / 'gone.toml')!r}])\n"
        "print({'typer', 'rich', 'onnxruntime'} & set(sys.modules))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "set()\n"
