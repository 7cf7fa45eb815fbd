"""What every section shares: it is frozen, forbids unknown keys and takes no bool for a number."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

ClassName: TypeAlias = Literal["background", "low", "normal", "high", "urgent", "emergency"]
Format: TypeAlias = Literal["wav", "flac", "mp3", "opus", "pcm"]

NAME = r"^[a-z0-9_-]{1,32}$"
VOICE_NAME = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
LANGUAGE = r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
RESERVED = frozenset({"all", "group", "job"})


def _refuse_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers")  # noqa: TRY004 - pydantic reads ValueError
    return value


def _refuse_reserved(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"{name!r} has a meaning of its own in topics; choose another name")
    return name


Whole: TypeAlias = Annotated[int, BeforeValidator(_refuse_bool)]
Number: TypeAlias = Annotated[float, BeforeValidator(_refuse_bool)]
Name: TypeAlias = Annotated[str, Field(pattern=NAME), AfterValidator(_refuse_reserved)]
VoiceName: TypeAlias = Annotated[str, Field(pattern=VOICE_NAME)]
Language: TypeAlias = Annotated[str, Field(pattern=LANGUAGE)]


class Section(BaseModel):
    """One table of the configuration file; values never show in its errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )
