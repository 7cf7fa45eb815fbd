"""Secrets come from private files only and never show."""

from pathlib import Path

import pytest

from cosyedge.config import load_settings, mqtt_password
from cosyedge.config.mqtt import MqttSettings
from cosyedge.core.errors import SettingsError


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "mqtt_password"
    path.write_text("hunter2\n")
    path.chmod(0o600)
    return path


def test_password_is_read_from_its_file(secret: Path) -> None:
    assert mqtt_password(MqttSettings(password_file=secret), {}) == "hunter2"


def test_password_is_read_from_systemd_credentials(secret: Path) -> None:
    environ = {"CREDENTIALS_DIRECTORY": str(secret.parent)}
    assert mqtt_password(MqttSettings(), environ) == "hunter2"
    assert mqtt_password(MqttSettings(password_credential="other"), environ) is None
    assert mqtt_password(MqttSettings(), {}) is None


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o666])
def test_world_readable_secret_is_refused(secret: Path, mode: int) -> None:
    secret.chmod(mode)
    with pytest.raises(SettingsError, match=r"mqtt\.password_file: everybody can read") as caught:
        mqtt_password(MqttSettings(password_file=secret), {})
    assert "hunter2" not in str(caught.value)


def test_world_readable_key_is_refused_at_loading(tmp_path: Path) -> None:
    for name in ("node.crt", "node.key"):
        (tmp_path / name).write_text("x")
    (tmp_path / "node.key").chmod(0o644)
    file = tmp_path / "cosyedge.toml"
    file.write_text(
        f'[mqtt.tls]\nenabled = true\ncert_file = "{tmp_path}/node.crt"\n'
        f'key_file = "{tmp_path}/node.key"\n'
    )
    with pytest.raises(SettingsError, match=r"mqtt\.tls\.key_file: everybody can read"):
        load_settings(file)


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xff", b"x" * 5000])
def test_unusable_secret_is_refused(secret: Path, content: bytes) -> None:
    secret.write_bytes(content)
    with pytest.raises(SettingsError, match=r"mqtt\.password_file"):
        mqtt_password(MqttSettings(password_file=secret), {})


def test_missing_secret_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        mqtt_password(MqttSettings(password_file=tmp_path / "gone"), {})


@pytest.mark.parametrize(
    "text",
    [
        '[mqtt]\nhost = "mqtt://user:hunter2@broker"\n',
        '[mqtt]\nhost = "user:hunter2@broker"\n',
        '[outputs.a]\nkind = "player"\nargv = ["curl", "http://user:hunter2@host/"]\n',
        '[zones.a.hooks.before]\ntopic = "x"\npayload = "amqp://u:hunter2@h"\n',
    ],
)
def test_password_in_an_address_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "cosyedge.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(file)
    assert "password" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_password_in_an_address_of_the_environment_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COSYEDGE_OUTPUTS", '{"a": {"kind": "player", "device": "x://u:hunter2@h"}}')
    with pytest.raises(SettingsError, match="COSYEDGE_OUTPUTS") as caught:
        load_settings(None)
    assert "hunter2" not in str(caught.value)
