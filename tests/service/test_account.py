from dataclasses import replace

from cosyedge.service.account import Account, summarize
from cosyedge.service.phrasebook import Found
from tests.service.fakes import cached, speech
from tests.service.test_performance import announcement


def test_a_voice_that_needed_a_second_try_is_told_once() -> None:
    made = Found(cached(replace(speech(), remarks=("reseeded",))), cached=False, synth_ms=5.0)
    account = Account(began_at=1_000.5)
    account.add(made)
    account.add(made)
    warned = replace(announcement(), warnings=("unknown_key:colour",))
    details = summarize(warned, [account], 1_001.0)
    assert details["warnings"] == ["unknown_key:colour", "reseeded"]
    assert details["timings"]["synth_ms"] == 10.0


def test_what_comes_from_the_cache_needed_no_second_try() -> None:
    account = Account(began_at=1_000.0)
    account.add(Found(cached(replace(speech(), remarks=("reseeded",))), cached=True))
    assert "warnings" not in summarize(announcement(), [account], 1_001.0)


def test_timings_count_from_the_message_to_the_first_sample_and_to_now() -> None:
    account = Account(began_at=1_000.25, first_audio_at=1_000.5)
    account.add(Found(cached(speech(0.5)), cached=True))
    timings = summarize(announcement(), [account], 1_002.0)["timings"]
    assert timings == {
        "queue_ms": 250.0,
        "synth_ms": 0.0,
        "first_audio_ms": 500.0,
        "play_ms": 1500.0,
    }
