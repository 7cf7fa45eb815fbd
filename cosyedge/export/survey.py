"""Judge a bundle without a reference: ten sentences' durations and loops, and int8 against fp32."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyedge.engine.cosyvoice.flow import Integration
from cosyedge.engine.cosyvoice.gate import fault_of_samples, fault_of_tokens
from cosyedge.engine.cosyvoice.language_model import Cache, Row
from cosyedge.engine.cosyvoice.model import Model
from cosyedge.engine.cosyvoice.pieces import token_bounds
from cosyedge.engine.cosyvoice.quality import generators
from cosyedge.engine.cosyvoice.sampling import Sampling
from cosyedge.engine.cosyvoice.tokenizer import Tokenizer
from cosyedge.engine.cosyvoice.vocoder import SourceNoise
from cosyedge.engine.cosyvoice.watch import unwatched
from cosyedge.export.comparison import Likeness, mean_kl, same_argmax, snr_db

Floats = NDArray[np.float32]

SENTENCES = (
    "前门已经打开。",
    "洗衣机已经洗好了。",
    "今天下午三点，请到一楼大厅集合。",
    "室外温度零下五度，路面湿滑，请小心。",
    "三号车间的烟雾报警器已触发，请立即撤离。",
    "The front door has been opened.",
    "The washing machine is done, please empty it.",
    "Attention please, the meeting begins in ten minutes.",
    "ただいま玄関のドアが開きました。",
    "현관문이 열렸습니다.",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence: how long its speech is, and what is wrong with it, if anything.

    ``likeness`` stands where another bundle was run on the same tokens and noise.
    """

    sentence: str
    duration_s: float
    fault: str | None
    likeness: Likeness | None = None


@dataclass(frozen=True, slots=True)
class _Spoken:
    """One sentence's way through a bundle."""

    text_ids: Sequence[int]
    tokens: Sequence[int]
    mel: Floats
    noise: Floats


def survey(model: Model, other: Model | None, tokenizer: Tokenizer, seed: int) -> Iterator[Finding]:
    """Speak each sentence and judge it; ``other`` is the fp32 bundle to be compared with."""
    for sentence in SENTENCES:
        spoken, fault, duration_s = _speak(model, tokenizer, sentence, seed)
        likeness = None if other is None else _likeness(model, other, spoken)
        yield Finding(sentence, duration_s, fault, likeness)


def _speak(
    model: Model, tokenizer: Tokenizer, sentence: str, seed: int
) -> tuple[_Spoken, str | None, float]:
    plan, watch = model.plan, unwatched()
    ids = tokenizer.encode(sentence)
    embedding = model.assets.constants["speakers"][0]
    fewest, most = token_bounds(sentence, len(ids))
    sampler, random = generators(str(seed), sentence)
    prefix = model.prefix(ids, embedding, watch)
    row = Row(prefix, fewest, most, Sampling.of(plan.language), sampler)
    model.speech_tokens([row], watch)
    tokens = row.tokens or [0]
    condition = model.condition(tokens, embedding, watch)
    noise = random.standard_normal(condition.mu.shape, dtype=np.float32)
    mel = model.mel(condition, noise, Integration(), watch)
    f0 = model.f0(mel, watch)
    drawn = SourceNoise.draw(plan.vocoder, len(f0) * plan.samples_per_frame, random)
    samples = model.samples(mel, model.source(f0, drawn), watch)
    fault = fault_of_tokens(row.tokens, stopped=row.stopped) or fault_of_samples(
        samples, plan.rate_hz, plan.vocoder.limit, sentence
    )
    return _Spoken(ids, tokens, mel, noise), fault, len(samples) / plan.rate_hz


def _likeness(model: Model, other: Model, spoken: _Spoken) -> Likeness:
    embedding = model.assets.constants["speakers"][0]
    condition = other.condition(spoken.tokens, embedding, unwatched())
    wanted = other.mel(condition, spoken.noise, Integration(), unwatched())
    made_logits, wanted_logits = (_logits(each, spoken, embedding) for each in (model, other))
    return Likeness(
        snr_db(spoken.mel, wanted),
        mean_kl(made_logits, wanted_logits),
        same_argmax(made_logits, wanted_logits),
    )


def _logits(model: Model, spoken: _Spoken, embedding: Floats) -> Floats:
    """Return the logits [tokens, speech + 1] that lead to each token."""
    prefix = model.prefix(spoken.text_ids, embedding, unwatched())
    session = model.stages.session("language_model")
    cache = Cache(session, model.plan.language, 1, len(prefix) + len(spoken.tokens))
    rows = [prefix, *(model.assets.speech([token]) for token in spoken.tokens[:-1])]
    return np.concatenate([cache.advance(row[None]).copy() for row in rows])
