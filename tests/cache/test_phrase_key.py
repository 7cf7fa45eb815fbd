"""A phrase's name: everything that changes its sound, nothing that does not."""

import string
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.phrase_cache import phrase_key
from cosyedge.core.speech import SpeechRequest

REQUEST = SpeechRequest("Front door opened.", "en", "hibari")
TEXT = st.text(alphabet=string.printable + "门\x00\ud800|,\"'[]", max_size=12)


def named(request: SpeechRequest = REQUEST, digest: str = "d", **more: str) -> str:
    return phrase_key(request, digest, more.get("reader", "1"), more.get("lexicon", "l"))


@pytest.mark.parametrize(
    "change",
    [
        {"spoken": "Front door opened"},
        {"lang": "de"},
        {"speaker": "anna"},
        {"speaker": ""},
        {"speed": 1.25},
        {"phonemes": "fɹʌnt"},
        {"phonemes": ""},
        {"quality": {"steps": 4}},
        {"quality": {"steps": "4"}},
        {"quality": {"seed": 4}},
    ],
)
def test_whatever_changes_the_sound_changes_the_key(change: dict[str, Any]) -> None:
    assert named(replace(REQUEST, **change)) != named()


def test_voice_reader_and_lexicon_change_the_key() -> None:
    keys = {named(), named(digest="e"), named(reader="2"), named(lexicon="m")}
    assert len(keys) == 4


def test_what_does_not_change_the_sound_keeps_the_key() -> None:
    assert named(replace(REQUEST, speed=1)) == named()
    one = replace(REQUEST, quality={"steps": 4, "seed": 1})
    other = replace(REQUEST, quality={"seed": 1, "steps": 4})
    assert named(one) == named(other)
    assert named(replace(REQUEST, voice="renamed")) == named()


def test_key_is_the_same_in_every_process_and_release() -> None:
    """Cached phrases survive an update: a new form of the key must be meant."""
    assert named() == "66a6ee9a4e9a234639ffa43773675d9008993fe2b90caa4469bb08b1a37eb364"


@given(st.tuples(TEXT, TEXT, TEXT, TEXT), st.tuples(TEXT, TEXT, TEXT, TEXT))
def test_no_two_requests_collide_by_running_together(
    first: tuple[str, str, str, str], second: tuple[str, str, str, str]
) -> None:
    def name(spoken: str, lang: str, speaker: str, digest: str) -> str:
        return named(SpeechRequest(spoken, lang, "v", speaker), digest)

    assert (name(*first) == name(*second)) == (first == second)
