"""The service behind a broker with TLS and ACL, in its sandbox: speech, faults, reload, stop."""

import json

import pytest

from cosyedge.adapters.catalogue import message_id
from tests.system.box import wait_for
from tests.system.node import UNIT, Node
from tests.system.printed import blocks

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

CONFIG = "/etc/cosyedge/cosyedge.toml"
SIGNS = {
    "wav": b"RIFF",
    "flac": b"fLaC",
    "mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3"),
    "opus": b"OggS",
}


def test_it_speaks_through_tls_and_acl_with_its_credential(node: Node) -> None:
    end = node.end_of(node.say("The door is open."))
    assert end["event_type"] == "finished"
    assert node.heard("cosyedge/hall/audio/default/")
    (availability,) = {m.payload for m in node.heard("cosyedge/hall/availability")[-1:]}
    assert availability == b"online"


@pytest.mark.parametrize("form", [*SIGNS, "pcm"])
def test_every_audio_format_is_made_inside_the_sandbox(node: Node, form: str) -> None:
    id = node.say("Format test.", format=form)
    end = node.end_of(id)
    assert end["event_type"] == "finished", end
    clips = node.heard(f"cosyedge/hall/audio/default/{id}")
    sound = b"".join(clip.payload for clip in clips)
    assert len(sound) > 1_000
    assert any(clip.payload.startswith(SIGNS.get(form, b"")) for clip in clips)


def test_one_announcement_s_story_is_two_lines_with_fields(node: Node) -> None:
    id = node.say("The story of one announcement.")
    node.end_of(id)
    entries = node.log(f"COSYEDGE_ID={id}")
    assert [entry["COSYEDGE_EVENT"] for entry in entries] == ["accepted", "finished"]
    for entry in entries:
        assert entry["COSYEDGE_CLASS"] == "normal"
        assert entry["COSYEDGE_ZONE"] == "default"
        assert entry["SYSLOG_IDENTIFIER"] == "cosyedge"
        assert entry["MESSAGE_ID"] == message_id(entry["COSYEDGE_EVENT"], None)
        assert "\n" not in entry["MESSAGE"]


def test_journalctl_explains_a_refusal_and_names_its_mend(node: Node) -> None:
    id = node.say("!!!")
    node.wait_event(id, "rejected")
    assert [entry["COSYEDGE_CODE"] for entry in node.log(f"COSYEDGE_ID={id}")] == [
        "nothing_speakable"
    ]
    told = node.box.run("journalctl", "-x", "--no-pager", f"COSYEDGE_ID={id}").stdout
    assert "What to do: add a word." in told


def test_acl_rules_who_may_shout(node: Node) -> None:
    allowed = node.say("Somebody is at the door.", user="doorbell")
    forbidden = node.say("Fire!", "say/emergency", user="doorbell")
    after = node.say("Fire drill.", "say/emergency")
    assert node.end_of(allowed)["event_type"] == "finished"
    assert node.end_of(after)["class"] == "emergency"
    assert not node.events(forbidden)


def test_a_payload_never_raises_its_class_above_its_topic(node: Node) -> None:
    end = node.end_of(node.say("I am important.", user="doorbell", **{"class": "emergency"}))
    assert end["class"] == "high"


def test_reload_takes_a_new_configuration(node: Node) -> None:
    before = node.main_pid()
    config = next(block.text for block in blocks("security.md") if block.path == CONFIG)
    node.box.write(CONFIG, config + "\n[zones.kitchen]\n")
    node.box.run("systemctl", "reload", UNIT)
    end = node.end_of(node.say("In the kitchen.", zone="kitchen"))
    assert list(end["zones"]) == ["kitchen"]
    node.box.write(CONFIG, config)
    node.box.run("systemctl", "reload", UNIT)
    id = node.say("Where is the kitchen?", zone="kitchen")
    assert node.wait_event(id, "rejected")["reason"] == "unknown_zone"
    assert node.main_pid() == before


def test_reload_of_a_broken_file_keeps_the_old_one_and_says_why(node: Node) -> None:
    config = next(block.text for block in blocks("security.md") if block.path == CONFIG)
    node.box.write(CONFIG, config + "\n[queue]\nmax_items = 'many'\n")
    node.box.run("systemctl", "reload", UNIT)
    wait_for(lambda: "max_items" in node.box.show(UNIT, "StatusText")["StatusText"], 20, "status")
    assert node.box.show(UNIT, "ActiveState")["ActiveState"] == "active"
    assert node.end_of(node.say("Still here."))["event_type"] == "finished"
    node.box.write(CONFIG, config)
    node.box.run("systemctl", "reload", UNIT)


def test_a_player_runs_inside_the_sandbox(node: Node) -> None:
    config = next(block.text for block in blocks("security.md") if block.path == CONFIG)
    sink = '["dd", "of=/var/lib/cosyedge/spoken.raw", "status=none"]'
    output = f'\n[outputs.speaker]\nkind = "player"\nargv = {sink}\nrate_hz = 24000\n'
    node.box.write(CONFIG, config + output)
    node.box.run("systemctl", "reload", UNIT)
    end = node.end_of(node.say("Out of the speaker.", zone="default"))
    assert end["event_type"] == "finished", end
    size = int(node.box.run("stat", "-c", "%s", "/var/lib/cosyedge/spoken.raw").stdout)
    assert size > 24_000
    node.box.write(CONFIG, config)
    node.box.run("systemctl", "reload", UNIT)


def test_restart_of_the_broker_is_survived(node: Node) -> None:
    before = node.main_pid()
    node.box.run("systemctl", "restart", "mosquitto")
    assert node.speaks()["event_type"] == "finished"
    assert node.main_pid() == before


def test_boots_with_no_broker_and_connects_when_it_comes(node: Node) -> None:
    node.box.run("systemctl", "stop", "mosquitto")
    node.box.run("systemctl", "restart", UNIT)
    assert node.box.show(UNIT, "ActiveState")["ActiveState"] == "active"
    node.box.run("systemctl", "start", "mosquitto")
    assert node.speaks()["event_type"] == "finished"


def test_a_killed_worker_costs_no_announcement(node: Node) -> None:
    node.speaks()
    before = node.main_pid()
    for pid in node.worker_pids():
        node.box.run("kill", "-KILL", str(pid))
    end = node.end_of(node.say("A sentence that nobody has heard before, number one."))
    assert end["event_type"] == "finished"
    assert node.main_pid() == before


def test_a_frozen_supervisor_is_replaced_by_the_watchdog(node: Node) -> None:
    node.drop_in("watchdog", "[Service]\nWatchdogSec=6\nWatchdogSignal=SIGKILL\n")
    node.box.run("systemctl", "restart", UNIT)
    node.speaks()
    before = node.main_pid()
    node.box.run("kill", "-STOP", str(before))
    wait_for(lambda: node.main_pid() not in (0, before), 40, "restart")
    assert node.speaks()["event_type"] == "finished"
    assert "watchdog" in node.box.run("journalctl", "-u", UNIT, "-n", "60").stdout.lower()
    node.drop_in("watchdog", "")
    node.box.run("systemctl", "restart", UNIT)


@pytest.mark.parametrize("state", ["idle", "synthesizing", "speaking"])
def test_stop_is_quick_in_every_state_and_leaves_no_orphan(node: Node, state: str) -> None:
    node.speaks()
    if state != "idle":
        text = " ".join(f"This is sentence number {n} of the {state} test." for n in range(6))
        id = node.say(text)
        node.wait_event(id, "accepted" if state == "synthesizing" else "started")
    node.box.run("systemctl", "stop", UNIT)
    shown = node.box.show(UNIT, "Result", "ExecMainStatus", "ExecMainCode")
    assert (shown["Result"], shown["ExecMainStatus"]) == ("success", "0")
    times = node.box.show(UNIT, "ActiveExitTimestampMonotonic", "InactiveEnterTimestampMonotonic")
    begun, ended = sorted(int(value) for value in times.values())
    assert ended - begun < 10_000_000
    assert node.box.shell("pgrep -u cosyedge || true") == ""
    node.box.run("systemctl", "start", UNIT)
    if state != "idle":
        assert node.end_of(id, 90)["event_type"] in ("failed", "cancelled", "finished")
    assert node.speaks()["event_type"] == "finished"


def test_kill_in_mid_speech_ends_every_id_once(node: Node) -> None:
    ids = [node.say(f"Sentence {n} before the power goes. And one more.") for n in range(4)]
    node.wait_event(ids[0], "started")
    node.box.run("systemctl", "kill", "-s", "KILL", UNIT)
    for id in ids:
        node.end_of(id, 60)
    node.speaks()
    kinds = {id: [e["event_type"] for e in node.events(id)] for id in ids}
    ends = [kind for told in kinds.values() for kind in told if kind in ("finished", "failed")]
    assert len(ends) == len(ids), kinds


def test_secrets_and_texts_leave_no_trace(node: Node) -> None:
    canary = "Bartholomew parked the zeppelin"
    password = node.box.run("cat", "/etc/credstore/cosyedge.mqtt_password").stdout.strip()
    id = node.say(f"{canary}.")
    node.end_of(id)
    node.say(canary, volume="loud " + canary)
    node.publish("say", '{"text": "' + canary)
    node.speaks()
    told = json.dumps(node.log())
    for topic in ("event", "state", "health", "info", "availability"):
        told += "".join(m.payload.decode() for m in node.heard(f"cosyedge/hall/{topic}"))
    assert '"reason":"not_json"' in told
    assert '"field":"volume"' in told
    told += node.box.shell(
        "sleep 1; cat /proc/[0-9]*/cmdline /var/lib/cosyedge/* /var/cache/cosyedge/* 2>/dev/null"
        " | tr -d '\\0' | strings || true"
    )
    told += node.box.shell(f"cat /proc/{node.main_pid()}/environ | tr '\\0' '\\n'")
    assert canary not in told
    assert password not in told


def test_history_and_faults_are_read_beside_the_daemon(node: Node) -> None:
    id = node.say("To be remembered.")
    node.end_of(id)
    for who in ("root", "cosyedge"):
        as_user = ("runuser", "-u", who, "--", "cosyedge")
        rows = json.loads(node.box.run(*as_user, "history", "--json").stdout)
        assert rows[0]["id"] == id
        assert node.box.run(*as_user, "faults", "--json").stdout.startswith("[")
    assert node.speaks()["event_type"] == "finished"


def test_doctor_finds_the_service_in_order(node: Node) -> None:
    node.speaks()
    done = node.box.run("cosyedge", "doctor", "-c", CONFIG, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert "telemetry" in done.stdout
