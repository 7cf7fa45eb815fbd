"""What all payload models share: strict types, and refusals that name the field."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from cosyedge.core.errors import Refusal
from cosyedge.wire.json_reader import printable

ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
MAX_WARNINGS = 16

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
Label = Annotated[str, Field(max_length=64)]
ZoneName = Annotated[str, Field(min_length=1, max_length=64)]

_Payload = TypeVar("_Payload", bound="PayloadModel")


class PayloadModel(BaseModel):
    """A payload; numbers are no booleans, strings no numbers, unknown keys a warning."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", populate_by_name=False)


def validate(model: type[_Payload], members: Mapping[str, Any]) -> _Payload:
    """Check types and ranges. Raises Refusal: wrong_type or invalid_value, with the field."""
    try:
        return model.model_validate(members)
    except ValidationError as error:
        raise _refusal(error) from error


def unknown_keys(model: type[PayloadModel], members: Iterable[str]) -> list[str]:
    """Warnings for keys that no reader knows, at most :data:`MAX_WARNINGS`."""
    known = {field.alias or name for name, field in model.model_fields.items()}
    strangers = [key for key in members if key not in known][:MAX_WARNINGS]
    return [f"unknown_key:{printable(key)}" for key in strangers]


def _is_about_value(problem: ErrorDetails) -> bool:
    if problem["type"] in ("enum", "literal_error"):
        return isinstance(problem["input"], str)
    return not problem["type"].endswith("_type")


def _refusal(error: ValidationError) -> Refusal:
    """Translate pydantic's list: the first field counts, all branches of its union."""
    problems = error.errors(include_url=False, include_context=False)
    field = problems[0]["loc"][0] if problems[0]["loc"] else ""
    of_field = [problem for problem in problems if problem["loc"][:1] == (field,)] or problems
    values = [problem for problem in of_field if _is_about_value(problem)]
    code = "invalid_value" if values else "wrong_type"
    message = (values or of_field)[0]["msg"]
    return Refusal(code, message, field=printable(str(field)) or None)
