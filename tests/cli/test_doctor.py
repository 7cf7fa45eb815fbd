"""`cosyedge doctor` on a box that is well and on one that is not, and its report."""

import json
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.support.broker import Broker


def environ_of(broker: Broker, **further: str) -> dict[str, str]:
    return {
        "COSYEDGE_MQTT__HOST": broker.host,
        "COSYEDGE_MQTT__PORT": str(broker.port),
        "COSYEDGE_OUTPUTS__OUT__KIND": "mqtt",
        "COSYEDGE_NODE__NAME": "patient",
        **further,
    }


def examine(cosyedge: Command, environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    ended = cosyedge("doctor", "--json", **environ)
    findings = {each["about"]: each for each in json.loads(ended.stdout)}
    is_bad = any(each["state"] == "bad" for each in findings.values())
    assert ended.returncode == int(is_bad), ended.stderr
    return findings


def test_healthy_box_is_well_and_every_line_is_one_line(broker: Broker, cosyedge: Command) -> None:
    findings = examine(cosyedge, environ_of(broker))
    assert {about for about, each in findings.items() if each["state"] == "bad"} == set()
    assert findings["broker"]["fact"].endswith("MQTT 5")
    assert "what the manifest says" in findings["voice hibari"]["fact"]
    assert findings["telemetry"]["state"] == "ok"
    assert findings["node patient"]["fact"].startswith("not running")
    printed = cosyedge("doctor", **environ_of(broker))
    assert len(printed.stdout.splitlines()) == len(findings)


def test_each_ill_is_named_with_its_mend(cosyedge: Command, tmp_path: Path) -> None:
    with Broker(lines=["max_packet_size 50000"]) as broker:
        findings = examine(
            cosyedge,
            environ_of(
                broker,
                COSYEDGE_OUTPUTS__OUT__KIND="player",
                COSYEDGE_OUTPUTS__OUT__ARGV='["/nonexistent/player"]',
                COSYEDGE_OUTPUTS__CARD__KIND="player",
                COSYEDGE_OUTPUTS__CARD__ARGV='["cat"]',
                COSYEDGE_OUTPUTS__CARD__DEVICE="plughw:1,0",
                COSYEDGE_ENGINE__VOICE="nobody",
                COSYEDGE_ENGINE__THREADS="64",
                COSYEDGE_ENGINE__MEMORY_CAP_MB="65536",
                COSYEDGE_ENGINE__TOTAL_MEMORY_CAP_MB="65536",
                COSYEDGE_MQTT__USERNAME="somebody",
            ),
        )
    assert findings["player out"]["state"] == "bad"
    assert findings["player card"]["state"] == "warning"
    assert findings["voice nobody"]["state"] == "bad"
    assert findings["broker limits"]["state"] == "warning"
    assert findings["threads"]["state"] == "warning"
    assert findings["memory"]["state"] == "bad"
    assert findings["credentials"]["state"] == "warning"
    assert all(each["mend"] for each in findings.values() if each["state"] != "ok")


def test_broker_that_is_not_there_is_bad(broker: Broker, cosyedge: Command) -> None:
    environ = environ_of(broker)
    broker.stop()
    finding = examine(cosyedge, environ)["broker"]
    assert finding["state"] == "bad"
    assert finding["fact"].startswith("broker_unavailable")


@pytest.mark.parametrize("name", ["model", "code"])
def test_flipped_bit_in_a_voice_is_found(name: str, cosyedge: Command, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "voices" / "flipped"
    folder.mkdir(parents=True)
    (folder / "file.bin").write_bytes(b"\x01" + b"\0" * 99)
    (folder / "manifest.toml").write_text(
        'engine = "hibari"\nrate_hz = 24000\nlanguages = ["en"]\nlicence = "none"\n[source]\n'
        f'[[files]]\nrole = "{name}"\npath = "file.bin"\nsha256 = "{"0" * 64}"\nsize_bytes = 100\n'
    )
    findings = examine(
        cosyedge,
        {
            "COSYEDGE_PATHS__STATE_DIR": str(tmp_path / "state"),
            "COSYEDGE_ENGINE__VOICE": "flipped",
            "COSYEDGE_MQTT__PORT": "1",
        },
    )
    assert findings["voice flipped"]["fact"].startswith("model_invalid")


def test_report_holds_no_secret_and_no_text(
    broker: Broker, cosyedge: Command, tmp_path: Path
) -> None:
    password = tmp_path / "password"
    password.write_text("hunter2")
    password.chmod(0o600)
    report = tmp_path / "report.json"
    cosyedge(
        "doctor",
        "--bundle",
        str(report),
        **environ_of(
            broker,
            COSYEDGE_MQTT__USERNAME="alice-the-secret-user",
            COSYEDGE_MQTT__PASSWORD_FILE=str(password),
            COSYEDGE_PHRASES='[{"text": "quicksand phrase"}]',
            COSYEDGE_TEMPLATES__T__EN="quicksand template",
        ),
    )
    content = report.read_text("utf-8")
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    for private in ("hunter2", "alice-the-secret-user", "quicksand", broker.host, str(password)):
        assert private not in content, private
    told = json.loads(content)
    assert told["settings"]["queue"]["max_items"] == 100
    assert told["packages"]["onnxruntime"]
    assert told["findings"]
