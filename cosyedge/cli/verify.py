"""``cosyedge voices verify``: whether a CosyVoice bundle computes what the original does."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cosyedge.cli.options import JsonOption

if TYPE_CHECKING:
    from cosyedge.engine.cosyvoice.model import Model
    from cosyedge.export.survey import Finding

DEFAULT_SEED = 5
# The generator that the reference was drawn with takes no other.
HIGHEST_SEED = 2**32 - 1

BundleArgument = Annotated[Path, typer.Argument(help="A folder that cosyedge export wrote.")]
ReferenceOption = Annotated[
    Path | None,
    typer.Option("--reference", help="An .npz of the official modules' outputs."),
]
AgainstOption = Annotated[
    Path | None,
    typer.Option(
        "--against", help="An fp32 bundle of the same model, to compare an int8 one with."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=HIGHEST_SEED, help="Seed of the noise.")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("verify")(verify)


def verify(
    bundle: BundleArgument,
    reference: ReferenceOption = None,
    against: AgainstOption = None,
    seed: SeedOption = DEFAULT_SEED,
    as_json: JsonOption = False,
) -> None:
    """Run a CosyVoice bundle and compare.

    With a reference file: the largest absolute difference of each array, and the exit status 1
    if an fp32 bundle misses a tolerance (logits and mel 1e-4, waveform 1e-3). An int8 bundle is
    told by its mel's signal to noise, its logits' KL and its share of equal argmax, and is not
    the same model below 15 dB: status 1. Without: ten sentences, each with its duration and its
    fault, if it has one; with --against also the three likenesses, by the same bound.
    """
    model = _open(bundle)
    if reference is not None:
        within = _compare(model, reference, seed, as_json)
    else:
        within = _survey(model, bundle, against, seed, as_json)
    if not within:
        raise typer.Exit(1)


def _open(bundle: Path) -> "Model":
    from cosyedge.adapters.voice_folder import read_manifest
    from cosyedge.core.errors import SettingsError
    from cosyedge.engine.contract import EngineSettings
    from cosyedge.engine.cosyvoice.bundle import open_bundle

    manifest = bundle.resolve() / "manifest.toml"
    if not manifest.is_file():
        raise SettingsError("model_missing", f"{bundle} holds no manifest.toml")
    voice = read_manifest(manifest)
    if voice.engine != "cosyvoice":
        raise SettingsError("model_invalid", f"{bundle} is a {voice.engine} voice, not CosyVoice")
    model, _ = open_bundle(voice, manifest.parent, EngineSettings(stages="staged"))
    return model


def _compare(model: "Model", path: Path, seed: int, as_json: bool) -> bool:
    """Run the reference, print what was found, and say whether it is within the tolerances."""
    from cosyedge.core.errors import SettingsError
    from cosyedge.export import comparison
    from cosyedge.export.reference import read_reference, run_reference

    wanted = read_reference(path)
    for name in comparison.MAX_ABS_ERROR:
        if name not in wanted:
            raise SettingsError("model_invalid", f"{path.name} has no {name} to compare with")
    if "wav" in wanted:
        wanted["wav_end_to_end"] = wanted["wav"]
    try:
        made = dict(run_reference(model, wanted, seed))
    except ValueError as error:
        # numpy, where an input of the reference has another size than the bundle's.
        raise SettingsError("model_invalid", f"{path.name} does not fit it: {error}") from error
    for name in comparison.MAX_ABS_ERROR:
        if made[name].shape != wanted[name].shape:
            sizes = f"{name} is {wanted[name].shape} there and {made[name].shape} here"
            raise SettingsError(
                "model_invalid", f"{path.name} is of a model of other sizes: {sizes}"
            )
    shared = [name for name in made if name in wanted]
    errors = {name: comparison.max_abs_error(made[name], wanted[name]) for name in shared}
    if model.plan.precision == "fp32":
        _print_errors(errors, as_json)
        return all(errors[name] <= most for name, most in comparison.MAX_ABS_ERROR.items())
    likeness = comparison.Likeness(
        comparison.snr_db(made["mel"], wanted["mel"]),
        comparison.mean_kl(made["logits"], wanted["logits"]),
        comparison.same_argmax(made["logits"], wanted["logits"]),
    )
    facts = {"snr_db": likeness.snr_db, "kl": likeness.kl, "argmax": likeness.argmax}
    _print_errors({**errors, **facts}, as_json)
    return likeness.snr_db >= comparison.BROKEN_SNR_DB


def _print_errors(errors: Mapping[str, float], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(errors))
        return
    for name, value in errors.items():
        typer.echo(f"{name:18} {value:.3g}")


def _survey(model: "Model", bundle: Path, against: Path | None, seed: int, as_json: bool) -> bool:
    from cosyedge.core.errors import SettingsError
    from cosyedge.engine.cosyvoice.tokenizer import Tokenizer
    from cosyedge.export.survey import survey

    vocabulary = bundle / "vocabulary.tiktoken"
    if not vocabulary.is_file():
        raise SettingsError("model_missing", f"{bundle} carries no vocabulary to read text with")
    tokenizer = Tokenizer(vocabulary)
    if tokenizer.highest >= model.plan.text_tokens:
        raise SettingsError("model_invalid", f"{bundle}: its text vocabulary is too small to speak")
    other = None if against is None else _open(against)
    findings = list(survey(model, other, tokenizer, seed))
    rows = [_row(finding) for finding in findings]
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False))
    else:
        for row in rows:
            typer.echo("  ".join(_shown(value) for value in row.values() if value is not None))
    # Random weights never stop: their durations and loops say nothing.
    judged = model.plan.trained
    return not any(_is_bad(finding, judged) for finding in findings)


def _is_bad(finding: "Finding", judged: bool) -> bool:
    from cosyedge.export.comparison import BROKEN_SNR_DB

    if finding.likeness is not None and not finding.likeness.snr_db >= BROKEN_SNR_DB:
        return True
    return judged and finding.fault is not None


def _row(finding: "Finding") -> dict[str, object]:
    likeness = finding.likeness
    return {
        "sentence": finding.sentence,
        "duration_s": round(finding.duration_s, 2),
        "fault": finding.fault,
        "snr_db": likeness and likeness.snr_db,
        "kl": likeness and likeness.kl,
        "argmax": likeness and likeness.argmax,
    }


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
