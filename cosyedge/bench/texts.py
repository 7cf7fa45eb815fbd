"""Varied announcements for measurements: the same seed gives the same texts."""

import random

_THINGS = (
    "front door",
    "washing machine",
    "garage",
    "cellar window",
    "oven",
    "east gate",
    "boiler",
)
_STATES = ("is open", "is done", "has closed", "needs attention", "is still running", "is offline")
_PLACES = ("in the kitchen", "on the second floor", "beside platform nine", "upstairs", "outside")
_TIMES = ("since ten past four", "for twenty minutes", "this morning", "until half past seven")
_TAILS = (
    "Please have a look.",
    "The temperature is twenty one point five degrees.",
    "Mister Zbigniew Okonkwo is asked to come to the information desk, please.",
    "Thank you for your patience, and mind the gap between the train and the platform.",
)


def varied_texts(count: int, seed: int = 1) -> list[str]:
    """Return ``count`` English sentences of one word to some 180 characters."""
    chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
    return [_text(chance) for _ in range(count)]


def _text(chance: random.Random) -> str:
    words = [f"The {chance.choice(_THINGS)} {chance.choice(_STATES)}"]
    words += chance.sample(_PLACES, chance.randrange(3))
    words += chance.sample(_TIMES, chance.randrange(2))
    sentence = " ".join(words) + "."
    if chance.random() < 0.4:
        sentence += " " + chance.choice(_TAILS)
    return "Fire!" if chance.random() < 0.05 else sentence
