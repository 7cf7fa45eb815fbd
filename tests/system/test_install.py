"""Installing: from wheels alone, with no network, no broker and no sound card."""

import pytest

from tests.system.box import Box
from tests.system.conftest import INSTALL
from tests.system.node import UNIT

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]


def test_it_is_ready_without_network_broker_or_sound_card(installed: Box) -> None:
    shown = installed.show(UNIT, "ActiveState", "StatusText", "NRestarts", "User")
    assert shown["ActiveState"] == "active"
    assert shown["StatusText"]
    assert (shown["NRestarts"], shown["User"]) == ("0", "cosyedge")
    times = installed.show(UNIT, "InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    begun, ready = sorted(int(value) for value in times.values())
    assert ready - begun < 20_000_000


def test_systemd_finds_nothing_wrong_with_the_unit(installed: Box) -> None:
    done = installed.run("systemd-analyze", "verify", f"/etc/systemd/system/{UNIT}")
    assert done.stderr == ""


def test_exposure_is_at_most_two(installed: Box) -> None:
    unit = f"/etc/systemd/system/{UNIT}"
    installed.run("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)


def test_what_is_installed_belongs_to_root_and_state_to_the_daemon(installed: Box) -> None:
    told = installed.shell(
        "stat -c '%n %U:%G %a' /etc/cosyedge /etc/cosyedge/cosyedge.toml /var/lib/cosyedge"
        " /var/cache/cosyedge /opt/cosyedge; id -Gn cosyedge"
    )
    assert told.splitlines() == [
        "/etc/cosyedge root:cosyedge 750",
        "/etc/cosyedge/cosyedge.toml root:cosyedge 640",
        "/var/lib/cosyedge cosyedge:cosyedge 750",
        "/var/cache/cosyedge cosyedge:cosyedge 750",
        "/opt/cosyedge root:root 755",
        "cosyedge audio",
    ]
    assert not installed.shell("find /opt/cosyedge ! -user root -o -perm -002 ! -type l")


def test_journal_is_for_the_daemon_alone(installed: Box) -> None:
    told = installed.shell("stat -c '%a %U' /var/lib/cosyedge/journal.sqlite*")
    assert set(told.splitlines()) == {"600 cosyedge"}


def test_nothing_listens(installed: Box) -> None:
    pid = installed.show(UNIT, "MainPID")["MainPID"]
    told = installed.shell(f"ss -Hlntup | grep -F 'pid={pid},' || true")
    assert told == ""


def test_install_says_how_it_is_used(box: Box) -> None:
    assert "--wheelhouse DIR" in box.run(INSTALL, "--help").stdout
    assert box.run(INSTALL, "--what", check=False).returncode == 2


def test_command_line_works_for_the_daemon_s_user(installed: Box) -> None:
    done = installed.run("runuser", "-u", "cosyedge", "--", "cosyedge", "--version")
    assert done.stdout.startswith("cosyedge 0.")
