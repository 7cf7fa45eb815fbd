"""The shape of the models: which keys may stand below a key."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def key_of(name: str, field: FieldInfo) -> str:
    """Name a field as the file does: `class`, where Python must say `class_`."""
    return field.alias or name


def members(annotation: Any) -> Iterator[Any]:
    """Yield the plain types of an annotation: no Annotated, no None, unions one by one."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from members(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for inner in get_args(annotation):
            yield from members(inner)
    elif annotation is not type(None):
        yield annotation


def models_in(annotation: Any) -> tuple[type[BaseModel], ...]:
    """List the sections that an annotation allows directly."""
    return tuple(
        member
        for member in members(annotation)
        if isinstance(member, type) and issubclass(member, BaseModel)
    )


def fields_in(annotation: Any) -> dict[str, FieldInfo]:
    """Map the keys that may stand below ``annotation``, by the names of the file."""
    return {
        key_of(name, field): field
        for model in models_in(annotation)
        for name, field in model.model_fields.items()
    }


def value_of_table(annotation: Any) -> Any:
    """Give the type of the values of a table with free keys, None where it is no such table."""
    for member in members(annotation):
        if get_origin(member) is dict:
            return get_args(member)[1]
    return None


def item_of_list(annotation: Any) -> Any:
    """Give the type of the items of a list, None where it is no list."""
    for member in members(annotation):
        if get_origin(member) is tuple:
            return get_args(member)[0]
    return None


def step(annotation: Any, key: str | int) -> Any:
    """Go down one key; None where no such key may stand."""
    if isinstance(key, int):
        return item_of_list(annotation)
    field = fields_in(annotation).get(key)
    if field is not None:
        return field.annotation
    return value_of_table(annotation)
