"""A sentence as pieces that the model speaks well, and how many tokens each may take."""

from collections.abc import Mapping

from cosyedge.text.splitting import split, weight

DEFAULT_MAX_CHARS = 25
# Shorter neighbours are joined: a word alone is often swallowed.
MIN_WEIGHT = 15
END_MARKS = "。！？；…．.!?;"
OPEN_MARKS = "，,、：:—–- "
WIDE = "\u2e80"

# The official bounds are 2 and 20 speech tokens a text token. An endless generation then costs
# 0.4 s of audio for each text token, so the upper one is 7, and more where one text token
# stands for several characters: 13 speech tokens (0.26 s) a wide character, 5 a narrow one.
FEWEST_PER_TEXT_TOKEN = 2
MOST_PER_TEXT_TOKEN = 7
MOST_PER_WIDE = 13
MOST_PER_NARROW = 5
MOST_SLACK = 25


def cut(spoken: str, lang: str, max_chars: Mapping[str, int]) -> list[str]:
    """Cut a sentence at commas into pieces within the voice's bound, each with an end mark.

    Without a mark at its end the model may never stop. Pieces that hold no word are dropped.
    """
    bound = max_chars.get(lang, DEFAULT_MAX_CHARS)
    pieces = _merged(split(spoken, lang, bound), bound)
    return [ended(piece) for piece in pieces if any(char.isalnum() for char in piece)]


def _merged(pieces: list[str], bound: int) -> list[str]:
    """Join short pieces with the one before, where both fit the bound."""
    merged: list[str] = []
    for piece in pieces:
        is_short = merged and min(weight(merged[-1]), weight(piece)) < MIN_WEIGHT
        if is_short and len(merged[-1]) + len(piece) <= bound:
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged


def ended(piece: str) -> str:
    """Return the piece with one mark at its end."""
    piece = piece.strip()
    if piece[-1] in END_MARKS:
        return piece
    piece = piece.rstrip(OPEN_MARKS)
    return piece + ("。" if piece[-1:] > WIDE else ".")


def token_bounds(piece: str, text_tokens: int) -> tuple[int, int]:
    """Return the fewest and the most speech tokens for a piece of ``text_tokens`` ids."""
    wide = sum(char > WIDE for char in piece)
    by_chars = wide * MOST_PER_WIDE + (len(piece) - wide) * MOST_PER_NARROW
    most = MOST_SLACK + max(MOST_PER_TEXT_TOKEN * text_tokens, by_chars)
    return min(FEWEST_PER_TEXT_TOKEN * text_tokens, most), most
