"""CosyVoice-300M-SFT on ONNX Runtime, from a bundle that ``cosyedge export cosyvoice`` wrote."""

from pathlib import Path

from cosyedge.core.errors import EngineFailure
from cosyedge.core.voice import Voice
from cosyedge.engine.contract import EngineSettings
from cosyedge.engine.cosyvoice.bundle import open_bundle
from cosyedge.engine.cosyvoice.engine import CosyVoice
from cosyedge.engine.cosyvoice.tokenizer import Tokenizer


def load(voice: Voice, folder: Path, settings: EngineSettings) -> CosyVoice:
    """Load the bundle in ``folder``: all graphs, or none yet if they are staged.

    Raises EngineFailure: model_missing, model_invalid, out_of_memory.
    """
    model, files = open_bundle(voice, folder, settings)
    if "vocabulary" not in files:
        raise EngineFailure(
            "model_missing",
            f"{voice.name} carries no vocabulary: export it again with --vocab",
        )
    tokenizer = Tokenizer(files["vocabulary"])
    if tokenizer.highest >= model.plan.text_tokens:
        raise EngineFailure(
            "model_invalid",
            f"{voice.name} cannot speak: its text vocabulary of {model.plan.text_tokens} entries "
            f"is too small for the tokenizer's {tokenizer.highest + 1}",
        )
    # Said before the graphs are loaded: a wrong option is known at once.
    engine = CosyVoice(voice, model, tokenizer, settings.options)
    model.stages.fill()
    return engine
