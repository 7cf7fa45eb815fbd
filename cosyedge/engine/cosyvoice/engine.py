"""The CosyVoice engine: requests in, speech out; pieces decoded together where nobody waits."""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cosyedge.core.errors import EngineFailure
from cosyedge.core.speech import Speech, SpeechRequest
from cosyedge.core.voice import Voice
from cosyedge.engine.contract import Cancellation
from cosyedge.engine.cosyvoice.flow import Condition, at_speed
from cosyedge.engine.cosyvoice.gate import fault_of_samples, fault_of_tokens
from cosyedge.engine.cosyvoice.language_model import Row
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.pieces import cut, token_bounds
from cosyedge.engine.cosyvoice.quality import (
    NOTHING_ASKED,
    Asked,
    Quality,
    generators,
    read_quality,
)
from cosyedge.engine.cosyvoice.sampling import Sampling
from cosyedge.engine.cosyvoice.tokenizer import Tokenizer
from cosyedge.engine.cosyvoice.vocoder import SourceNoise
from cosyedge.engine.cosyvoice.watch import Watch

log = logging.getLogger("cosyedge.engine")
Floats = NDArray[np.float32]

SPEEDS = (0.5, 2.0)
# Four rows cost two steps: weights are read once for all. More rows cost cache, and gain little.
BATCH = 4
ATTEMPTS = 2
GAP_S = 0.08
FADE_S = 0.005
# A box ten times slower than real time is still served; beyond it something hangs.
DEADLINE_BASE_S = 60.0
DEADLINE_PER_TOKEN_S = 0.5
WARM_UP_TOKENS = 8
WARM_UP = "好。"


@dataclass(slots=True)
class Piece:
    """One piece on its way through the model."""

    request: int
    text: str
    text_ids: list[int]
    embedding: Floats
    speaker: str
    quality: Quality
    speed: float
    most: int
    fewest: int
    attempt: int = 0
    tokens: list[int] = field(default_factory=list)
    samples: Floats | None = None
    noise: np.random.Generator = field(default_factory=np.random.default_rng)
    fault: str | None = None


class CosyVoice:
    """A loaded bundle that speaks."""

    def __init__(
        self, voice: Voice, model: Model, tokenizer: Tokenizer, options: Asked = NOTHING_ASKED
    ) -> None:
        """Take a model; ``options`` stand where a request's quality says nothing.

        Raises EngineFailure("engine_error") for an option that cannot be used.
        """
        read_quality(options)
        self._options = options
        self.voice = voice
        self.model = model
        self._tokenizer = tokenizer

    def synthesize(
        self, requests: Sequence[SpeechRequest], cancel: Cancellation
    ) -> Iterator[tuple[int, Speech]]:
        """Yield requests as they are finished; several, or the pieces of one, are decoded together.

        Raises Cancelled, or EngineFailure: bad_audio after a second try, engine_timeout,
        engine_error, out_of_memory, model_invalid.
        """
        pieces = [
            piece
            for index, request in enumerate(requests)
            for piece in self._pieces(index, request)
        ]
        try:
            yield from self._answers(pieces, _watch(cancel, pieces))
        finally:
            if self.model.stages.staged:
                self.model.stages.release()

    def speak(self, pieces: Sequence[Piece], watch: Watch) -> Iterator[Piece]:
        """Yield the pieces in their order, each with sound samples; a bad one is tried again."""
        self._decode(pieces, watch)
        # With one graph in memory at a time, all pieces pass each graph before the next is loaded.
        together = len(pieces) if self.model.stages.staged else 1
        for first in range(0, len(pieces), together):
            group = pieces[first : first + together]
            self._sound([piece for piece in group if piece.fault is None], watch)
            bad = [piece for piece in group if piece.fault is not None]
            if bad:
                self._again(bad, watch)
            yield from group

    def warm_up(self) -> None:
        """Run each graph once, if they stay in memory."""
        if self.model.stages.staged:
            return
        piece = next(iter(self._pieces(0, SpeechRequest(WARM_UP, "zh", self.voice.name))))
        piece.fewest = piece.most = WARM_UP_TOKENS
        watch = _watch(Cancellation(), [piece])
        self._decode([piece], watch)
        self._sound([piece], watch)

    def close(self) -> None:
        """Drop every graph."""
        self.model.stages.release()

    def _answers(self, pieces: Sequence[Piece], watch: Watch) -> Iterator[tuple[int, Speech]]:
        """Yield each request's speech with the last of its pieces."""
        missing = Counter(piece.request for piece in pieces)
        size = len(pieces) if self.model.stages.staged else BATCH
        for first in range(0, len(pieces), max(1, size)):
            for piece in self.speak(pieces[first : first + size], watch):
                missing[piece.request] -= 1
                if not missing[piece.request]:
                    yield piece.request, self._joined(pieces, piece.request)

    def _pieces(self, index: int, request: SpeechRequest) -> Iterator[Piece]:
        if not SPEEDS[0] <= request.speed <= SPEEDS[1]:
            raise EngineFailure("engine_error", f"cosyvoice speaks at {SPEEDS[0]} to {SPEEDS[1]}")
        quality = read_quality({**self._options, **request.quality})
        speaker = request.speaker or self.voice.default_speaker or self.voice.speakers[0]
        texts = cut(request.spoken, request.lang, self.voice.max_chars)
        if not texts:
            raise EngineFailure("engine_error", "cosyvoice can read nothing of this sentence")
        plan = self.model.plan
        for text in texts:
            ids = self._tokenizer.encode(text)[: plan.language.text_positions]
            fewest, most = token_bounds(text, len(ids))
            room = min(plan.flow.positions, plan.language.positions - len(ids) - 3)
            most = min(most, room)
            yield Piece(
                request=index,
                text=text,
                text_ids=ids,
                embedding=self.model.assets.embedding(speaker),
                speaker=speaker,
                quality=quality,
                speed=request.speed,
                most=most,
                fewest=min(fewest, most),
            )

    def _again(self, pieces: Sequence[Piece], watch: Watch) -> None:
        for piece in pieces:
            log.warning("piece is tried with another seed: %s", piece.fault)
            piece.attempt, piece.fault = piece.attempt + 1, None
        self._decode(pieces, watch)
        self._sound([piece for piece in pieces if piece.fault is None], watch)
        for piece in pieces:
            if piece.fault is not None:
                raise EngineFailure("bad_audio", f"twice no usable speech: {piece.fault}")

    def _decode(self, pieces: Sequence[Piece], watch: Watch) -> None:
        """Fill the pieces' tokens."""
        prefixes = [self.model.prefix(p.text_ids, p.embedding, watch) for p in pieces]
        rows = [self._row(p, prefix) for p, prefix in zip(pieces, prefixes, strict=True)]
        # A row's cache is 115 kB a position: staged, there is no room for several.
        batch = 1 if self.model.stages.staged else BATCH
        for first in range(0, len(rows), batch):
            self.model.speech_tokens(rows[first : first + batch], watch)
        for piece, row in zip(pieces, rows, strict=True):
            piece.tokens = row.tokens or [0]
            if self.model.plan.trained:
                piece.fault = fault_of_tokens(row.tokens, stopped=row.stopped)

    def _row(self, piece: Piece, prefix: Floats) -> Row:
        quality = piece.quality
        words = (str(quality.seed), str(piece.attempt), self.voice.digest, piece.speaker)
        tokens, piece.noise = generators(*words, piece.text)
        sampling = Sampling.of(self.model.plan.language, quality.temperature)
        return Row(prefix, piece.fewest, piece.most, sampling, tokens)

    def _sound(self, pieces: Sequence[Piece], watch: Watch) -> None:
        """Turn tokens to samples, each graph over all pieces before the next graph."""
        model = self.model
        conditions = [model.condition(piece.tokens, piece.embedding, watch) for piece in pieces]
        pairs = zip(pieces, conditions, strict=True)
        mels = [self._mel(piece, condition, watch) for piece, condition in pairs]
        sources = [self._source(piece, mel, watch) for piece, mel in zip(pieces, mels, strict=True)]
        for piece, mel, source in zip(pieces, mels, sources, strict=True):
            piece.samples = model.samples(mel, source, watch)
            piece.fault = self._fault(piece, piece.samples)

    def _mel(self, piece: Piece, condition: Condition, watch: Watch) -> Floats:
        noise = piece.noise.standard_normal(condition.mu.shape, dtype=np.float32)
        mel = self.model.mel(condition, noise, piece.quality.integration, watch)
        return at_speed(mel, piece.speed)

    def _source(self, piece: Piece, mel: Floats, watch: Watch) -> Floats:
        f0 = self.model.f0(mel, watch)
        plan = self.model.plan
        drawn = SourceNoise.draw(plan.vocoder, len(f0) * plan.samples_per_frame, piece.noise)
        return self.model.source(f0, drawn)

    def _fault(self, piece: Piece, samples: Floats) -> str | None:
        plan = self.model.plan
        text = piece.text if plan.trained else None
        limit = plan.vocoder.limit
        return fault_of_samples(samples, plan.rate_hz, limit, text, piece.speed)

    def _joined(self, pieces: Sequence[Piece], request: int) -> Speech:
        rate_hz = self.model.plan.rate_hz
        gap = np.zeros(int(GAP_S * rate_hz), np.float32)
        parts: list[Floats] = []
        remarks: tuple[str, ...] = ()
        for piece in pieces:
            if piece.request == request and piece.samples is not None:
                if piece.attempt:
                    remarks = ("reseeded",)
                parts += [gap, faded(piece.samples, int(FADE_S * rate_hz))]
                piece.samples = None
        return Speech(np.concatenate(parts[1:]), rate_hz, remarks)


def faded(samples: Floats, size: int) -> Floats:
    """Return the samples rising from and falling to nothing over ``size`` of them."""
    size = min(size, len(samples) // 2)
    ramp = np.linspace(0, 1, size, dtype=np.float32)
    shaped = samples.copy()
    shaped[:size] *= ramp
    shaped[len(shaped) - size :] *= ramp[::-1]
    return shaped


def _watch(cancel: Cancellation, pieces: Sequence[Piece]) -> Watch:
    tokens = sum(piece.most for piece in pieces)
    end = time.monotonic() + DEADLINE_BASE_S + ATTEMPTS * tokens * DEADLINE_PER_TOKEN_S

    def check() -> None:
        cancel.check()
        if time.monotonic() > end:
            raise EngineFailure("engine_timeout", f"no speech after {tokens} tokens' time")

    return Watch(cancel, check)
