"""Loading the configuration: what wins, and how each mistake is told."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cosyedge.config import load_settings
from cosyedge.config.base import ClassName
from cosyedge.core.announcement import CLASSES
from cosyedge.core.errors import SettingsError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cosyedge.toml"


def complaint(path: Path | None) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_environment_alone_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COSYEDGE_MQTT__HOST", "broker.example")
    monkeypatch.setenv("COSYEDGE_MQTT__PORT", "8883")
    monkeypatch.setenv("COSYEDGE_NODE__NAME", "hall")
    monkeypatch.setenv("COSYEDGE_PATHS__STATE_DIR", str(tmp_path / "state"))
    loaded = load_settings(None, default=tmp_path / "absent.toml")
    assert (loaded.mqtt.host, loaded.mqtt.port, loaded.node.name) == (
        "broker.example",
        8883,
        "hall",
    )
    assert loaded.paths.state_dir == tmp_path / "state"


def test_environment_wins_over_the_file_key_by_key(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('[mqtt]\nhost = "from-file"\nport = 1884\n[zones.hall]\nvolume = 0.4\n')
    monkeypatch.setenv("COSYEDGE_MQTT__HOST", "from-environment")
    monkeypatch.setenv("COSYEDGE_ZONES__HALL__LANG", "de")
    loaded = load_settings(file)
    assert (loaded.mqtt.host, loaded.mqtt.port) == ("from-environment", 1884)
    assert (loaded.zones["hall"].volume, loaded.zones["hall"].lang) == (0.4, "de")


def test_default_file_is_read_where_it_exists(file: Path) -> None:
    file.write_text('[node]\nname = "from-default-file"\n')
    assert load_settings(None, default=file).node.name == "from-default-file"


def test_missing_file_is_named(file: Path) -> None:
    assert complaint(file) == f"{file}: there is no such file"


def test_unreadable_forms_of_a_file_are_named(file: Path) -> None:
    file.write_text("[mqtt\n")
    assert str(file) in complaint(file)
    assert "line 1" in complaint(file)
    file.write_bytes(b"\xff\xfe")
    assert "UTF-8" in complaint(file)
    assert "directory" in complaint(file.parent)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[mqtt]\nhots = "a"\n', "mqtt.hots: unknown key; did you mean host?"),
        ("[mqqt]\nport = 1\n", "mqqt: unknown key; did you mean mqtt?"),
        ("[mqtt]\nport = true\n", "mqtt.port: true and false are no numbers"),
        ("[queue]\nttl_s = nan\n", "queue.ttl_s: "),
        ('[mqtt]\npassword = "hunter2"\n', "secrets are read from a file"),
        ('[outputs.hall]\nkind = "player"\ndevise = "x"\n', "outputs.hall.devise: unknown key"),
        ('[outputs.hall]\nkind = "hunter2"\n', "outputs.hall: 'kind' is none of 'mqtt', 'player'"),
        ("[zones.all]\nvolume = 1\n", "zones.all: 'all' has a meaning of its own"),
        ('[zones.hall]\noutputs = ["gone"]\n', "zones.hall.outputs: there is no 'gone'"),
        ('[zones.hall]\n[groups]\nhall = ["hall"]\n', "groups.hall: a zone has this name"),
        ('[zones.hall]\n[groups]\nup = ["attic"]\n', "groups.up: there is no 'attic'"),
        ('[[phrases]]\ntext = "x"\nzone = "attic"\n', "phrases.0.zone: there is no 'attic'"),
        ('[[schedule]]\nname = "a"\ncron = "* * * * *"\n', "exactly one of text"),
        ('[[schedule]]\nname = "a"\ncron = "daily"\ntext = "x"\n', "schedule.0.cron: five fields"),
        ('[node]\ntimezone = "Mars/Base"\n', "node.timezone: not a time zone"),
        ('[mqtt.tls]\nca_file = "/ca"\n', "mqtt.tls: files are given, but enabled is false"),
    ],
)
def test_mistake_in_a_file_names_the_key(file: Path, text: str, told: str) -> None:
    file.write_text(text)
    said = complaint(file)
    assert said.startswith(str(file))
    assert told in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("COSYEDGE_MQTT_HOST", "did you mean COSYEDGE_MQTT__HOST?"),
        ("COSYEDGE_MQQT__HOST", "there is no section 'mqqt'; did you mean COSYEDGE_MQTT?"),
        ("COSYEDGE_MQTT__HOTS", "did you mean COSYEDGE_MQTT__HOST?"),
        ("COSYEDGE_MQTT__TLS__CA_FIL", "did you mean COSYEDGE_MQTT__TLS__CA_FILE?"),
        ("COSYEDGE_ZONES__HALL__VOLUM", "did you mean COSYEDGE_ZONES__HALL__VOLUME?"),
        ("COSYEDGE_MQTT__PORT__X", "there is no such setting"),
        ("COSYEDGE_MQTT__PASSWORD", "use COSYEDGE_MQTT__PASSWORD_FILE"),
    ],
)
def test_unknown_variable_is_named(name: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "hunter2")
    said = complaint(None)
    assert said.startswith(name)
    assert told in said
    assert "hunter2" not in said


def test_bad_value_of_a_variable_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSYEDGE_MQTT__PORT", "many")
    assert complaint(None).startswith("COSYEDGE_MQTT__PORT: mqtt.port: ")


def test_unreadable_list_of_a_variable_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSYEDGE_PHRASES", "[not json")
    assert "phrases" in complaint(None)


def test_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSYEDGE_MQTT__PORT", "")
    assert load_settings(None).mqtt.port == 1883


def test_directories_come_from_xdg_then_systemd_then_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert load_settings(None).paths.state_dir == tmp_path / ".local/state/cosyedge"
    monkeypatch.setenv("XDG_STATE_HOME", "/x/state")
    assert load_settings(None).paths.state_dir == Path("/x/state/cosyedge")
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/cosyedge:/var/lib/other")
    monkeypatch.setenv("CACHE_DIRECTORY", "/var/cache/cosyedge")
    loaded = load_settings(None).paths
    assert (loaded.state_dir, loaded.cache_dir) == (
        Path("/var/lib/cosyedge"),
        Path("/var/cache/cosyedge"),
    )
    monkeypatch.setenv("COSYEDGE_PATHS__STATE_DIR", "/srv/state")
    assert load_settings(None).paths.state_dir == Path("/srv/state")


def test_classes_are_those_of_the_core() -> None:
    assert ClassName.__args__ == tuple(CLASSES)  # type: ignore[attr-defined]


def test_importing_the_configuration_brings_in_nothing_heavy() -> None:
    code = (
        "import sys, cosyedge.config\n"
        "heavy = {'onnxruntime', 'typer', 'rich', 'paho', 'soundfile', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def outcome_of_loading(path: Path) -> str:
    try:
        load_settings(path)
    except SettingsError as error:
        return str(error)
    return str(path)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.tuples(
            st.sampled_from(["mqtt", "queue", "zones.a", "outputs.a", "node", "text.lexicon.en"]),
            st.sampled_from(["port", "ttl_s", "volume", "kind", "name", "argv", "x"]),
            st.sampled_from(["1", "true", '"a"', "nan", "[]", "{}", "1979-05-27", '"\\u0000"']),
        ).map(lambda parts: "[{}]\n{} = {}\n".format(*parts).encode()),
    )
)
def test_any_file_loads_or_is_refused_in_one_line(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    told = outcome_of_loading(file)
    assert told.startswith(str(file))
    assert "\n" not in told
