"""Loading: the file, then the environment, then the checks; one line names what is wrong."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import SettingsError as SourceError

from cosyedge.config.environment import check_environment, variable_of, variables
from cosyedge.config.secrets import check_private, refuse_passwords_in_addresses
from cosyedge.config.settings import Settings
from cosyedge.config.shape import fields_in, models_in, step
from cosyedge.core.errors import SettingsError

DEFAULT_FILE = Path("/etc/cosyedge/cosyedge.toml")


def load_settings(path: Path | None = None, *, default: Path = DEFAULT_FILE) -> Settings:
    """Read ``path``, else ``default`` where that exists, else the environment alone.

    Blocks on the disk. Raises SettingsError naming the file or variable and the key.
    """
    if path is None and default.exists():
        path = default
    document = _read(path) if path is not None else {}
    source = str(path) if path is not None else "the environment"
    check_environment(os.environ)
    refuse_passwords_in_addresses(document, source)
    refuse_passwords_in_addresses(variables(os.environ), "the environment")
    try:
        settings = Settings(**document)
    except ValidationError as error:
        raise _translate(error, source) from error
    except SourceError as error:
        raise SettingsError("settings", f"the environment: {error}") from error
    except RuntimeError as error:  # Path.home() of a user who has none
        raise SettingsError(
            "settings", "no home directory: set paths.state_dir and paths.cache_dir"
        ) from error
    _check_files(settings)
    return settings


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise SettingsError("settings", f"{path}: there is no such file") from error
    except OSError as error:
        raise SettingsError("settings", f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError("settings", f"{path}: it is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError("settings", f"{path}: {error}") from error
    except RecursionError as error:
        raise SettingsError("settings", f"{path}: it is nested too deeply") from error


def _check_files(settings: Settings) -> None:
    if settings.mqtt.tls.key_file is not None:
        check_private(settings.mqtt.tls.key_file, "mqtt.tls.key_file")
    if settings.mqtt.password_file is not None:
        check_private(settings.mqtt.password_file, "mqtt.password_file")


def _translate(error: ValidationError, source: str) -> SettingsError:
    """Say the first complaint in one line, without the value: it may be a secret."""
    complaint = error.errors(include_url=False, include_input=False)[0]
    path = _key_path(complaint["loc"])
    key = ".".join(str(part) for part in path)
    if any(variable_of(path[:end]) in _upper(os.environ) for end in range(1, len(path) + 1)):
        source = variable_of(path)
    if complaint["type"] == "extra_forbidden":
        message = f"unknown key{_suggestion(path)}"
    elif complaint["type"] == "union_tag_invalid":
        # pydantic's own words hold the value.
        message = (
            f"{complaint['ctx']['discriminator']} is none of {complaint['ctx']['expected_tags']}"
        )
    else:
        message = complaint["msg"].removeprefix("Value error, ")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return SettingsError(
        "settings", ": ".join(part for part in (source, key, message) if part) + more, field=key
    )


def _upper(environ: Mapping[str, str]) -> set[str]:
    return {name.upper() for name in environ}


def _key_path(loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Drop what pydantic adds for its own sake: the tag of a union, the mark of a table's key."""
    kept: list[str | int] = []
    annotation: Any = Settings
    for key in loc:
        if key == "[key]" or key in _tags(annotation):
            continue
        kept.append(key)
        annotation = step(annotation, key)
    return tuple(kept)


def _tags(annotation: Any) -> set[Any]:
    models = models_in(annotation)
    if len(models) < 2:
        return set()
    return {model.model_fields["kind"].default for model in models}


def _suggestion(path: tuple[str | int, ...]) -> str:
    annotation: Any = Settings
    for key in path[:-1]:
        annotation = step(annotation, key)
    wanted = str(path[-1])
    if "password" in wanted:
        return "; secrets are read from a file: mqtt.password_file"
    close = difflib.get_close_matches(wanted, fields_in(annotation), 1)
    return f"; did you mean {close[0]}?" if close else ""
