"""The language model at work: prefixes in, speech tokens out, one row or several at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.errors import EngineFailure
from cosyedge.engine.contract import Cancellation
from cosyedge.engine.cosyvoice.plan import LanguagePlan, cache_width
from cosyedge.engine.cosyvoice.sampling import Sampling, draw
from cosyedge.engine.cosyvoice.watch import Watch
from cosyedge.engine.session import Session

Floats = NDArray[np.float32]

# Added to a score: exp of it is 0 in float32, and a row of nothing else still has a finite softmax.
MASKED = np.float32(-1e9)
# The cache is cut to the text: pages that are never touched are not resident, but a limit on
# committed memory counts them.
ROOM_STEP = 64


@dataclass(slots=True)
class Row:
    """One piece being decoded. ``prefix`` [rows, size] comes before the first token.

    ``fewest``, ``most``: bounds on the tokens; the stop is not among them.
    """

    prefix: Floats
    fewest: int
    most: int
    sampling: Sampling
    random: np.random.Generator
    tokens: list[int] = field(default_factory=list)
    stopped: bool = False

    @property
    def is_done(self) -> bool:
        """Whether the model said stop, or the bound is reached."""
        return self.stopped or len(self.tokens) >= self.most


class Cache:
    """The keys and values of a batch, written in place; every row ends at the same position."""

    def __init__(self, session: Session, plan: LanguagePlan, batch: int, room: int) -> None:
        """Make room for ``room`` positions; nothing of it is touched yet."""
        self._session = session
        self._plan = plan
        self.length = 0
        shape = (batch, plan.heads, room, cache_width(plan.head_width))
        names = [f"{kind}_{layer}" for layer in range(plan.layers) for kind in ("key", "value")]
        self.arrays: dict[str, Floats] = {name: np.zeros(shape, np.float32) for name in names}
        self._begin = np.zeros(batch, np.int64)
        self._bind()

    def advance(self, rows: Floats, cancel: Cancellation | None = None) -> Floats:
        """Run ``rows`` [batch, new, size] and return the logits [batch, speech + 1] of the last.

        The result is overwritten by the next call.
        """
        self.length += rows.shape[1]
        self._total[...] = self.length
        self._last[...] = self.length - 1
        before = np.arange(self.length) < self._begin[:, None]
        mask = np.where(before, MASKED, np.float32(0)).astype(np.float32)[:, None, None, :]
        self._binding.read("rows", np.ascontiguousarray(rows))
        self._binding.read("mask", np.ascontiguousarray(mask))
        return self.run(cancel)

    def run(self, cancel: Cancellation | None = None) -> Floats:
        """Run the last rows once more, at the same position."""
        self._binding.run(cancel)
        return self._logits

    def begin(self, positions: Sequence[int]) -> None:
        """Say where each row begins: what stands before it is padding, and never seen."""
        self._begin[...] = positions

    def keep(self, rows: Sequence[int]) -> None:
        """Drop every row but these."""
        self.arrays = {name: array[list(rows)] for name, array in self.arrays.items()}
        self._begin = self._begin[list(rows)]
        self._bind()

    def _bind(self) -> None:
        batch = len(self._begin)
        self._total = np.zeros((), np.int32)
        self._last = np.zeros(batch, np.int32)
        self._logits = np.zeros((batch, self._plan.speech_tokens + 1), np.float32)
        self._binding = self._session.bind()
        self._binding.read("total", self._total)
        self._binding.read("last", self._last)
        for name, array in self.arrays.items():
            self._binding.read(name, array)
            self._binding.write(f"new_{name}", array)
        self._binding.write("logits", self._logits)


def decode(
    session: Session,
    plan: LanguagePlan,
    embedding: Callable[[Sequence[int]], Floats],
    rows: Sequence[Row],
    watch: Watch,
) -> None:
    """Fill each row's tokens; rows of different length are exact against decoding them alone.

    ``embedding`` turns token ids [n] into rows [n, size]; ``watch`` is asked at every token.
    Raises Cancelled, EngineFailure.
    """
    longest = max(len(row.prefix) for row in rows)
    room = longest + max(row.most for row in rows)
    if room > plan.positions:
        raise EngineFailure(
            "engine_error", f"{room} positions: the bundle reaches {plan.positions}"
        )
    cache = Cache(session, plan, len(rows), -(-room // ROOM_STEP) * ROOM_STEP)
    cache.begin([longest - len(row.prefix) for row in rows])
    logits = cache.advance(_padded([row.prefix for row in rows], longest), watch.cancel)
    active = list(rows)
    while True:
        watch.check()
        for row, scores in zip(active, logits, strict=True):
            _extend(row, scores)
        kept = [index for index, row in enumerate(active) if not row.is_done]
        if not kept:
            return
        if len(kept) < len(active):
            cache.keep(kept)
            active = [active[index] for index in kept]
        latest = embedding([row.tokens[-1] for row in active])
        logits = cache.advance(latest[:, None, :], watch.cancel)


def _extend(row: Row, scores: Floats) -> None:
    may_stop = len(row.tokens) >= row.fewest
    token = draw(scores, row.tokens, row.sampling, row.random, may_stop=may_stop)
    if token == len(scores) - 1:
        row.stopped = True
    else:
        row.tokens.append(token)


def _padded(prefixes: Sequence[Floats], length: int) -> Floats:
    """Stack prefixes to [batch, length, size], each at the end of its row."""
    stacked = np.zeros((len(prefixes), length, prefixes[0].shape[1]), np.float32)
    for row, prefix in zip(stacked, prefixes, strict=True):
        row[length - len(prefix) :] = prefix
    return stacked
