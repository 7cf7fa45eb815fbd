"""Upgrading, falling back, both ways of speaking to systemd, and going without a trace."""

import pytest

from tests.system.conftest import INSTALL
from tests.system.node import UNIT, Node
from tests.system.wheelhouse import make_wheelhouse, pip

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

BROKEN = "import sys\n\n\ndef main() -> int:\n    sys.exit(3)\n"
OURS = "*cosyedge*"


def version(node: Node) -> str:
    return node.box.run("cosyedge", "--version").stdout.strip()


def test_upgrade_keeps_configuration_and_history(node: Node) -> None:
    id = node.speaks()["id"]
    config = node.box.run("cat", "/etc/cosyedge/cosyedge.toml").stdout
    make_wheelhouse(node.box.share / "wheels2", "voice", version="7.0.0")
    node.box.run(INSTALL, "--wheelhouse", "/run/host/wheels2")
    assert version(node) == "cosyedge 7.0.0"
    assert node.box.run("cat", "/etc/cosyedge/cosyedge.toml").stdout == config
    assert node.speaks()["event_type"] == "finished"
    assert id in node.box.run("cosyedge", "history", "--json").stdout


def test_version_that_does_not_become_ready_is_taken_back(node: Node) -> None:
    before = version(node)
    id = node.speaks()["id"]
    make_wheelhouse(node.box.share / "wheels3", "voice", version="8.0.0", main=BROKEN)
    done = node.box.run(INSTALL, "--wheelhouse", "/run/host/wheels3", check=False)
    assert done.returncode == 1
    assert "not upgraded" in done.stderr
    assert version(node) == before
    assert node.box.show(UNIT, "ActiveState")["ActiveState"] == "active"
    assert node.speaks()["event_type"] == "finished"
    assert id in node.box.run("cosyedge", "history", "--json").stdout
    assert len(node.box.shell("ls /opt/cosyedge/releases").split()) <= 2


def test_a_failed_download_changes_nothing(node: Node) -> None:
    before = node.main_pid()
    node.box.run("mkdir", "-p", "/tmp/empty")
    done = node.box.run(INSTALL, "--wheelhouse", "/tmp/empty", check=False)
    assert done.returncode == 1
    assert "nothing was changed" in done.stderr
    assert node.main_pid() == before


def test_systemd_python_does_the_same_as_the_built_in_writer(node: Node) -> None:
    try:
        pip("wheel", "--wheel-dir", node.box.share / "extra", "systemd-python>=235")
    except AssertionError as error:
        pytest.skip(f"systemd-python cannot be built here: {str(error)[-200:]}")
    python = "/opt/cosyedge/venv/bin/python"
    offline = ("--no-index", "--find-links", "/run/host/extra", "--quiet")
    node.box.run(python, "-m", "pip", "install", *offline, "systemd-python")
    node.box.run("systemctl", "restart", UNIT)
    id = node.speaks()["id"]
    entries = node.log(f"COSYEDGE_ID={id}")
    assert [entry["COSYEDGE_EVENT"] for entry in entries] == ["accepted", "finished"]
    maps = node.box.run("cat", f"/proc/{node.main_pid()}/maps").stdout
    assert "systemd/_journal" in maps
    node.box.run("systemctl", "stop", UNIT)
    assert node.box.show(UNIT, "Result")["Result"] == "success"


def test_uninstall_leaves_no_trace(node: Node) -> None:
    node.box.run("/run/host/systemd/uninstall.sh")
    assert node.box.shell("ls /etc/cosyedge").split() == ["ca.crt", "cosyedge.toml"]
    node.box.run("/run/host/systemd/uninstall.sh", "--purge")
    places = "/etc /opt /usr/local /usr/lib/systemd /var/lib /var/cache /run/systemd /root"
    # What this machine had before the box was made is not of the install.
    before = f"-not -path '*/.cache/*' -not -path '*/mosquitto/*' -name '{OURS}'"
    assert node.box.shell(f"find {places} -xdev {before} 2>/dev/null || true") == ""
    assert node.box.run("id", "cosyedge", check=False).returncode != 0
    assert node.box.run("systemctl", "status", UNIT, check=False).returncode == 4
