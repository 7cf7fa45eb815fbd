"""The model as five steps, each on its graph: prefix, tokens, condition, mel, samples."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cosyedge.engine.cosyvoice.assets import Assets
from cosyedge.engine.cosyvoice.flow import Condition, Integration, integrate, stretched
from cosyedge.engine.cosyvoice.language_model import Row, decode
from cosyedge.engine.cosyvoice.plan import ModelPlan
from cosyedge.engine.cosyvoice.stages import Stages
from cosyedge.engine.cosyvoice.vocoder import SourceNoise, harmonic_source, speak
from cosyedge.engine.cosyvoice.watch import Watch

Floats = NDArray[np.float32]


class Model:
    """A loaded bundle below text and above graphs."""

    def __init__(self, plan: ModelPlan, assets: Assets, stages: Stages) -> None:
        self.plan = plan
        self.assets = assets
        self.stages = stages

    def prefix(self, text_ids: Sequence[int], embedding: Floats, watch: Watch) -> Floats:
        """Return the language model's rows [text + 3, size]: start, speaker, text, task."""
        rows = self.assets.text(text_ids)[None]
        text = self._run("text_encoder", {"rows": rows}, watch)[0]
        markers = self.assets.constants["markers"]
        speaker = self.assets.language_speaker(embedding)
        return np.concatenate([markers[:1], speaker, text, markers[1:]])

    def speech_tokens(self, rows: Sequence[Row], watch: Watch) -> None:
        """Decode the rows' tokens, together."""
        session = self.stages.session("language_model")
        speech = self.assets.speech
        decode(session, self.plan.language, speech, rows, watch)

    def projected(self, tokens: Sequence[int], watch: Watch) -> Floats:
        """Return the flow encoder's rows [tokens, mel]."""
        rows = self.assets.flow(tokens)[None]
        projected: Floats = self._run("flow_encoder", {"rows": rows}, watch)[0]
        return projected

    def mu(self, projected: Floats, watch: Watch) -> Floats:
        """Return mu [1, mel, frames] for the flow encoder's rows."""
        frames = self.plan.mel_frames(len(projected))
        feeds = {"stretched": stretched(self.plan.flow, projected, frames)}
        return self._run("regulator", feeds, watch)

    def condition(self, tokens: Sequence[int], embedding: Floats, watch: Watch) -> Condition:
        """Return what the estimator is told about these tokens."""
        mu = self.mu(self.projected(tokens, watch), watch)
        return Condition(mu, self.assets.flow_speaker(embedding))

    def mel(self, condition: Condition, noise: Floats, how: Integration, watch: Watch) -> Floats:
        """Return the mel [1, mel, frames] that ``noise`` of that shape becomes."""
        session = self.stages.session("estimator")
        return integrate(session, self.plan.flow, condition, noise, how, watch)

    def f0(self, mel: Floats, watch: Watch) -> Floats:
        """Return F0 [frames] in hertz."""
        f0: Floats = self._run("f0", {"mel": mel}, watch)[0]
        return f0

    def source(self, f0: Floats, drawn: SourceNoise) -> Floats:
        """Return the vocoder's excitation [samples]."""
        constants = self.assets.constants
        return harmonic_source(
            self.plan, f0, drawn, constants["source_weight"], constants["source_bias"]
        )

    def samples(self, mel: Floats, source: Floats, watch: Watch) -> Floats:
        """Return samples [frames · samples_per_frame] in [-limit, limit]."""
        session = self.stages.session("vocoder")
        return speak(session, self.plan, mel, source, watch)

    def _run(self, graph: str, feeds: Mapping[str, Floats], watch: Watch) -> Floats:
        found: Floats = self.stages.session(graph).run(feeds, watch.cancel)[0]
        return found
