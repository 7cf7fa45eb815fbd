"""Text becomes the ids that Whisper's tokenizer gives it, and nothing else."""

import base64
import random
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.cosyvoice.tokenizer import Tokenizer, chunks

# As openai-whisper gives it to tiktoken.
PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
TEXTS = (
    "The front door isn't open, we're late.",
    "今天下午三点，请到一楼大厅集合。",
    "  two  blanks\n\n and a tab\t.",
    "PM2.5 为 120µg/m³，½ 杯，Ⅷ 号",
    "玄関のドアが開きました。현관문이 열렸습니다.",
    "naïve café — “quoted” … 🔔🔔",
    "they'll've 'Seen' it's 'S",
    "\u00a0\u3000 x \u2028y",
    "",
)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All bytes, and two thousand joints learnt from the texts themselves."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    shuffle = random.Random(5)
    pieces = [chunk.encode() for text in TEXTS for chunk in chunks(text)]
    while len(ranks) < 600:
        piece = shuffle.choice(pieces)
        begin, size = shuffle.randrange(len(piece)), shuffle.randint(2, 6)
        ranks.setdefault(piece[begin : begin + size], len(ranks))
    path = tmp_path_factory.mktemp("vocabulary") / "ranks.tiktoken"
    lines = [b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items()]
    path.write_bytes(b"".join(lines))
    return path


@pytest.fixture(scope="module")
def official(vocabulary: Path) -> tiktoken.Encoding:
    """The same ranks in the library that Whisper uses."""
    pairs = (line.split() for line in vocabulary.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding("test", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_those_of_the_official_library(
    vocabulary: Path, official: tiktoken.Encoding, text: str
) -> None:
    assert Tokenizer(vocabulary).encode(text) == official.encode_ordinary(text)


@given(text=st.text(max_size=40))
def test_any_text_gives_the_official_ids(
    vocabulary: Path, official: tiktoken.Encoding, text: str
) -> None:
    assert Tokenizer(vocabulary).encode(text) == official.encode_ordinary(text)


@given(text=st.text())
def test_no_character_is_lost_by_the_cut(text: str) -> None:
    assert "".join(chunks(text)) == text


def test_a_control_token_in_a_text_is_text(vocabulary: Path) -> None:
    ids = Tokenizer(vocabulary).encode("<|zh|><|endoftext|>")
    assert len(ids) > 2


def test_a_vocabulary_without_all_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.tiktoken"
    path.write_bytes(b"YQ== 0\n")
    with pytest.raises(EngineFailure, match="lacks single bytes"):
        Tokenizer(path)


@pytest.mark.parametrize("content", [b"\xff\xff", b"YQ==\n", b"YQ== x\n", b"Y 1\n"])
def test_a_file_that_is_no_vocabulary_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.tiktoken"
    path.write_bytes(content)
    with pytest.raises(EngineFailure, match=r"v\.tiktoken"):
        Tokenizer(path)
