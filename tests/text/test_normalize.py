"""cosyedge normalize prints what will be said, and why."""

import json
import subprocess
import sys

from tests.text.cases import comparable, load


def _normalize(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cosyedge", "normalize", *arguments],
        input=stdin, capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip


def test_it_prints_a_sentence_a_line() -> None:
    answer = _normalize("--lang", "en", "Pump E-100 stopped.[pause:1]It is 10:05.")
    assert answer.returncode == 0
    assert answer.stdout.splitlines() == [
        "Pump E one hundred stopped.", "[pause 1 s] It is ten oh five.",
    ]  # fmt: skip


def test_explain_shows_each_rewriting_and_its_rule() -> None:
    answer = _normalize("--lang", "zh", "--explain", "10:05 温度 unknown °C")
    assert "'10:05' → '十点零五分'  (time)" in answer.stdout
    assert "warning: unavailable_value" in answer.stdout


def test_a_refusal_is_told_with_its_code() -> None:
    answer = _normalize("--lang", "en", "🎉")
    assert answer.returncode == 1
    assert "nothing_speakable" in answer.stderr


def test_a_text_may_come_from_stdin() -> None:
    assert _normalize("-l", "en", "-", stdin="2nd floor").stdout == "second floor.\n"


def test_jsonl_answers_every_case_in_order() -> None:
    cases = load()
    lines = [json.dumps({"id": c.id, "lang": c.lang, "text": c.text}) for c in cases]
    answer = _normalize("--jsonl", stdin="\n".join(lines) + "\n")
    assert answer.returncode == 0, answer.stderr
    answers = [json.loads(line) for line in answer.stdout.splitlines()]
    assert [row["id"] for row in answers] == [case.id for case in cases]
    for case, row in zip(cases, answers, strict=True):
        if case.error:
            assert row == {"id": case.id, "error": case.error}
        else:
            assert comparable(row["spoken"]) in [comparable(form) for form in case.spoken]


def test_jsonl_repeats_a_piece() -> None:
    line = json.dumps({"id": "long", "lang": "en", "text_repeat": ["9", 100_000]})
    answer = json.loads(_normalize("--jsonl", stdin=line).stdout)
    assert answer == {"id": "long", "error": "too_long"}


def test_jsonl_that_is_none_is_told_with_its_line() -> None:
    answer = _normalize("--jsonl", stdin='{"id": "a", "text": "x"}\n{oops\n')
    assert answer.returncode != 0
    assert "line 2" in answer.stderr
