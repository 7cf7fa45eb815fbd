"""Answers to requests, in the form of zigbee2mqtt."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from cosyedge.core.errors import CosyedgeError
from cosyedge.wire.models import PayloadModel

Transaction = str | int | None


class Response(PayloadModel):
    """The answer to a request."""

    status: Literal["ok", "error"] = Field(description="whether it was done")
    data: dict[str, Any] = Field({}, description="what was asked for")
    error: str | None = Field(None, description="code and reason, where it was not done")
    transaction: str | int | None = Field(None, description="the request's own")


def encode_ok(data: Mapping[str, Any], transaction: Transaction = None) -> bytes:
    """The answer to a request that was carried out."""
    return _encode({"status": "ok", "data": data}, transaction)


def encode_error(error: CosyedgeError, transaction: Transaction = None) -> bytes:
    """The answer to a request that was refused or failed."""
    where = f" ({error.field})" if error.field else ""
    return _encode(
        {"status": "error", "data": {}, "error": f"{error.code}{where}: {error}"}, transaction
    )


def _encode(answer: dict[str, Any], transaction: Transaction) -> bytes:
    if transaction is not None:
        answer["transaction"] = transaction
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode()
